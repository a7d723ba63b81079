import { distanceOf } from "../../console/local-time.ts";
import { takeOverAdvice } from "../../console/summary.ts";
import type { LockHolder } from "../../engine/ports/store.ts";
import type { Attached } from "../../run/control/attach.ts";

type Watched = Pick<Attached, "id" | "program">;

/** The owner of the run, and what to do if it cannot be checked from here. */
export function attachedLines(
  { id, program }: Watched,
  { pid, host, visible, lastSeenAt: heardAt }: LockHolder,
  now: number,
): readonly string[] {
  const owner = `process ${String(pid)} on ${host}`;
  if (visible) return [`attached to ${id}, run by ${owner}`];
  return [
    `attached to ${id}, locked by ${owner}, last activity ${distanceOf(Date.parse(heardAt), now)}`,
    `  that process cannot be checked from here; its output is shown, and questions can be answered`,
    `  to stop or retry the run, on ${host}: ${program} attach ${id}`,
    `  if the process is certainly dead: ${takeOverAdvice({ id }, program)}`,
  ];
}

export function leftWords({ id, program, holder }: Pick<Attached, "holder"> & Watched): string {
  const state = holder?.visible === false ? "is unchanged" : "continues";
  return `${id} ${state}. Watch it again with: ${program} attach ${id}`;
}
