import type { ManualSession, ManualSessions } from "../../engine/ports/manual-sessions.ts";
import { thisHost } from "../../storage/lock/host-identity.ts";
import {
  type ManualSessionRecord,
  manualSessionFiles,
  type ProcessEnvironment,
  recordManualSession,
} from "../../storage/manual-session-files.ts";
import type { System } from "../system/system.ts";

export type { ManualSessionRecord as OwnVisit } from "../../storage/manual-session-files.ts";

type Parts = Pick<System, "disk" | "processes">;

/** The manual sessions of a run. */
export function openingsIn(folder: string, parts: Parts): ManualSessions {
  return manualSessionFiles(() => worldOf(parts), folder);
}

/** Records a manual session. It is alive as long as this process, or another registered one. */
export async function beginVisitIn(
  folder: string,
  visit: Pick<ManualSession, "agent" | "at" | "now">,
  parts: Parts,
): Promise<ManualSessionRecord> {
  return recordManualSession({ ...(await worldOf(parts)), pid: process.pid }, folder, visit);
}

async function worldOf({ disk, processes: { identify } }: Parts): Promise<ProcessEnvironment> {
  return { disk, identify, place: await thisHost() };
}
