import { cut, printable } from "../../log/printable.ts";

/** `16984  node claude -p`: one line for people, cut where the command is long. */
export function processLine(found: { readonly pid: number; readonly command: string }): string {
  return printable(`${String(found.pid)}  ${cut(found.command, LONGEST)}`);
}

/** Maximum characters of a command. */
const LONGEST = 120;
