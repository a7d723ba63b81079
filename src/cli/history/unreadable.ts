import { counted } from "../../core/counted.ts";

/** What is said where lines of an event log had to be passed over. */
export function unreadableWords(lines: number): string {
  return `${counted(lines, "line")} of the event log cannot be read, and ${lines === 1 ? "is" : "are"} left out: torn by a crash, or written by another version of raymond.`;
}
