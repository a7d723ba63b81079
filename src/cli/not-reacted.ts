import type { Retried } from "../runs/retry-now.ts";

/** What is told where the process that holds a run was told something, and shows nothing of it. */
export function notReacted({
  id,
  pid,
  next,
}: Extract<Retried, { outcome: "no-reaction" }>): string {
  return `The process ${String(pid)}, which holds ${id}, has not reacted. ${next} shows where it stands.`;
}
