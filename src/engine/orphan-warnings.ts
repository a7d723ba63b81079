import type { Event } from "../machine/event.ts";
import type { OrphanProcess } from "./ports/orphans.ts";

/** Warnings about orphan processes that raymond terminated. */
export function orphanWarnings(
  ended: readonly OrphanProcess[],
  fact = "A step left a process running",
): readonly Event[] {
  return ended.map(({ pid, command }) => {
    const message = `${fact}; raymond terminated it: ${command} (pid ${String(pid)}).`;
    return { type: "run.warning", message, hint: null };
  });
}
