import type { RunId } from "../core/machine/run-state.ts";
import { printable } from "../observers/printable.ts";
import type { HeldUp } from "../ports/store.ts";

/** What keeps a run in its queue, a line each, with the first thing that a person can do about it. */
export function heldWords(
  id: RunId,
  heldUp: readonly HeldUp[],
  program = "raymond",
): readonly string[] {
  return heldUp.map(({ agent, message, ways }) => {
    const who = agent === null ? id : `${agent} of ${id}`;
    const [way] = ways ?? [];
    const next = way === undefined ? "" : ` To ${way.about}: ${program} ${way.command}`;
    return printable(`${who} ${message}.${next}`);
  });
}
