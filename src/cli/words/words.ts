import path from "node:path";
import type { Blocker } from "../../engine/ports/store.ts";
import type { MissingEvents } from "../../inspect/history/logs.ts";
import type { LastKnown } from "../../inspect/run-view.ts";
import { counted } from "../../language/basics/counted.ts";
import { formatUsd } from "../../language/basics/money.ts";
import { cut, printable } from "../../log/printable.ts";
import type { RunId, RunState } from "../../machine/model/run-state.ts";

/** A path relative to this folder, or absolute if it is outside. */
export function pathFrom(folder: string, file: string): string {
  const way = path.relative(folder, file);
  const outside = way === "" || way === ".." || way.startsWith(`..${path.sep}`);
  return outside || path.isAbsolute(way) ? file : way;
}

/** `a, b or c`. */
export function listed(names: readonly string[]): string {
  const last = names.at(-1) ?? "";
  return names.length < 2 ? last : `${names.slice(0, -1).join(", ")} or ${last}`;
}

/** `16984  node claude -p`. */
export function processLine(found: { readonly pid: number; readonly command: string }): string {
  return printable(`${String(found.pid)}  ${cut(found.command, 120)}`);
}

/** The origin of a rerun as a sentence. Null for any other run. */
export function originSentence({ origin }: Pick<RunState, "origin">): string | null {
  if (origin === null) return null;
  const { run, step, costMicroUsd } = origin;
  return `It started from ${run} before step ${String(step)}: the ${formatUsd(costMicroUsd)} spent there are not counted here.`;
}

/** What keeps a run in its queue, each with the first remedy. */
export function heldWords(
  id: RunId,
  blockers: readonly Blocker[],
  program = "raymond",
): readonly string[] {
  return blockers.map(({ agent, message, remedies: [remedy] = [] }) => {
    const who = agent === null ? id : `${agent} of ${id}`;
    const next = remedy === undefined ? "" : ` To ${remedy.purpose}: ${program} ${remedy.command}`;
    return printable(`${who} ${message}.${next}`);
  });
}

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
