import { runTail } from "../../machine/run-id.ts";
import type { RunId } from "../../machine/run-state.ts";

/** The shortest unique name of each run that every command accepts: the tail of its id, or the id. */
export function shortIds(ids: readonly RunId[]): ReadonlyMap<RunId, string> {
  return new Map(ids.map((id) => [id, shortId(id, ids)]));
}

function shortId(id: RunId, ids: readonly RunId[]): string {
  const tail = runTail(id);
  if (tail === null) return id;
  const alone = ids.every((other) => {
    return other === id || (runTail(other) !== tail && !other.startsWith(tail));
  });
  return alone ? tail : id;
}
