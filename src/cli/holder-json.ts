import type { LockHolder } from "../ports/store.ts";

/** Who holds a run, as `--json` prints it. */
export function holderJson({ host, pid, startedAt, visible, heardAt }: LockHolder): object {
  return { host, pid, started_at: startedAt, visible, heard_at: heardAt };
}
