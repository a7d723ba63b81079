import type { ManualSession, ManualSessions } from "../../engine/ports/manual-sessions.ts";
import { thisHost } from "../../storage/lock/host-identity.ts";
import {
  type ManualSessionRecord,
  manualSessionFiles,
  type ProcessEnvironment,
  recordManualSession,
} from "../../storage/manual-session-files.ts";
import type { System } from "../system/system.ts";

export type { ManualSessionRecord } from "../../storage/manual-session-files.ts";

type Parts = Pick<System, "disk" | "processes">;

export function manualSessionsIn(folder: string, parts: Parts): ManualSessions {
  return manualSessionFiles(() => environmentOf(parts), folder);
}

/** Records a manual session. It is alive as long as this process, or another registered one. */
export async function recordSessionIn(
  folder: string,
  session: Pick<ManualSession, "agent" | "at" | "now">,
  parts: Parts,
): Promise<ManualSessionRecord> {
  return recordManualSession(
    { ...(await environmentOf(parts)), pid: process.pid },
    folder,
    session,
  );
}

async function environmentOf({ disk, processes }: Parts): Promise<ProcessEnvironment> {
  return { disk, identify: processes.identify, place: await thisHost() };
}
