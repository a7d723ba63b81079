import type { RunId } from "../core/machine/run-state.ts";
import { runTail } from "../core/run-id.ts";

/**
 * The shortest name of each of these runs that people can tell apart and that
 * every command takes: its tail where no other run could be meant, else its id.
 */
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
