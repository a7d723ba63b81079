import { counted } from "../../core/counted.ts";
import type { LastKnown } from "../../runs/last-known.ts";
import type { MissingEvents } from "../../runs/logs.ts";

/** What is said where lines of an event log had to be passed over. */
export function unreadableWords(lines: number): string {
  return `${counted(lines, "line")} of the event log cannot be read, and ${lines === 1 ? "is" : "are"} left out: torn by a crash, or written by another version of raymond.`;
}

/** What is said where events are missing in a log. */
export function missingWords({ from, to }: MissingEvents): string {
  const count = to - from + 1;
  const numbers = count === 1 ? String(from) : `${String(from)} to ${String(to)}`;
  return `${counted(count, "event is", "events are")} missing here (seq ${numbers}): whoever told ${count === 1 ? "it" : "them"} ended before that was kept, or could not keep it.`;
}

/** What is said first where the state file of a run is damaged; empty where it is not. */
export function damageWords({ damage }: Pick<LastKnown, "damage">): readonly string[] {
  return damage === null
    ? []
    : [`${damage.message} What is shown is told by the event log and the journal of the run.`];
}
