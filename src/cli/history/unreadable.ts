import type { MissingEvents } from "../../inspect/history/logs.ts";
import type { LastKnown } from "../../inspect/run-view.ts";
import { counted } from "../../language/basics/counted.ts";

export function unreadableWords(lines: number): string {
  return `${counted(lines, "line")} of the event log ${lines === 1 ? "was" : "were"} skipped: truncated by a crash, or written by another version of raymond.`;
}

export function missingWords({ from, to }: MissingEvents): string {
  const count = to - from + 1;
  const numbers = count === 1 ? String(from) : `${String(from)} to ${String(to)}`;
  return `${counted(count, "event is", "events are")} missing here (seq ${numbers}): the process ended before it could save ${count === 1 ? "it" : "them"}.`;
}

/** Empty if the state file is not damaged. */
export function damageWords({ damage }: Pick<LastKnown, "damage">): readonly string[] {
  return damage === null
    ? []
    : [`${damage.message} The output is from the event log and the journal of the run.`];
}
