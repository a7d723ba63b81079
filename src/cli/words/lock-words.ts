import type { Blocker } from "../../engine/ports/store.ts";
import { printable } from "../../log/printable.ts";
import type { RunId } from "../../machine/run-state.ts";

/** What keeps a run in its queue, a line each, with the first thing that a person can do about it. */
export function heldWords(
  id: RunId,
  heldUp: readonly Blocker[],
  program = "raymond",
): readonly string[] {
  return heldUp.map(({ agent, message, remedies: ways }) => {
    const who = agent === null ? id : `${agent} of ${id}`;
    const [way] = ways ?? [];
    const next = way === undefined ? "" : ` To ${way.purpose}: ${program} ${way.command}`;
    return printable(`${who} ${message}.${next}`);
  });
}
