import type { LockHolder } from "../../engine/ports/store.ts";
import type { HolderJson } from "./shapes.ts";

export function holderJson({
  host,
  pid,
  startedAt,
  visible,
  lastSeenAt: heardAt,
}: LockHolder): HolderJson {
  return { host, pid, started_at: startedAt, visible, heard_at: heardAt };
}
