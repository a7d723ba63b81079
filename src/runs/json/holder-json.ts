import type { LockHolder } from "../../ports/store.ts";
import type { HolderJson } from "./shapes.ts";

/** Who holds a run. */
export function holderJson({ host, pid, startedAt, visible, heardAt }: LockHolder): HolderJson {
  return { host, pid, started_at: startedAt, visible, heard_at: heardAt };
}
