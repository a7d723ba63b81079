import type { Event } from "../machine/model/event.ts";
import type { OrphanCleanup } from "./ports/orphans.ts";

/** Warnings about orphan processes that raymond terminated, and containers that it could not remove. */
export function orphanWarnings(
  { ended, warnings = [] }: OrphanCleanup,
  fact = "A step left a process running",
): readonly Event[] {
  const terminated = ended.map(
    ({ pid, command }) => `${fact}; raymond terminated it: ${command} (pid ${String(pid)}).`,
  );
  return [...terminated, ...warnings].map((message) => ({
    type: "run.warning",
    message,
    hint: null,
  }));
}
