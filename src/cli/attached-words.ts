import { distanceOf } from "../observers/local-time.ts";
import { takeOverAdvice } from "../observers/summary.ts";
import type { LockHolder } from "../ports/store.ts";
import type { Attached } from "../runs/attach.ts";

type Watched = Pick<Attached, "id" | "program">;

/** Whose run is watched, and what to do where that cannot be seen from here. */
export function attachedLines(
  { id, program }: Watched,
  { pid, host, visible, heardAt }: LockHolder,
  now: number,
): readonly string[] {
  const first = `attached to ${id}, which process ${String(pid)} on ${host}`;
  if (visible) return [`${first} runs`];
  return [
    `${first} holds, last heard ${distanceOf(Date.parse(heardAt), now)}`,
    `  whether it lives cannot be seen from here: what it writes is shown, and it can be answered`,
    `  to stop it, or to have it retry, do so on ${host}: ${program} attach ${id}`,
    `  if it is surely gone: ${takeOverAdvice({ id }, program)}`,
  ];
}

/** What is told to who leaves before the end. */
export function leftWords({ id, program, holder }: Pick<Attached, "holder"> & Watched): string {
  const stands = holder?.visible === false ? "is left as it is" : "goes on";
  return `${id} ${stands}; to watch it again: ${program} attach ${id}`;
}
