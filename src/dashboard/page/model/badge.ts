import type { SummaryJson } from "../../../inspect/json/shapes.ts";
import type { OverviewJson } from "../../api.ts";

export type Status = SummaryJson["status"] | OverviewJson["status"];

/** The display of a status: never by color alone. */
export interface Badge {
  readonly symbol: string;
  readonly words: string;
  readonly tone: "live" | "good" | "warn" | "bad" | "plain";
}

export const STATUS_BADGES: Readonly<Record<Status, Badge>> = {
  running: { symbol: "●", words: "running", tone: "live" },
  waiting: { symbol: "◔", words: "waiting", tone: "live" },
  stopping: { symbol: "■", words: "stopping", tone: "warn" },
  queued: { symbol: "○", words: "queued", tone: "live" },
  paused: { symbol: "‖", words: "paused", tone: "warn" },
  interrupted: { symbol: "■", words: "interrupted", tone: "warn" },
  budget_exceeded: { symbol: "$", words: "budget used up", tone: "warn" },
  held: { symbol: "?", words: "held elsewhere", tone: "warn" },
  crashed: { symbol: "✕", words: "crashed", tone: "bad" },
  failed: { symbol: "✕", words: "failed", tone: "bad" },
  unreadable: { symbol: "!", words: "unreadable", tone: "bad" },
  completed: { symbol: "✓", words: "completed", tone: "good" },
};

export function canStop(status: Status): boolean {
  return status === "running" || status === "waiting" || status === "queued";
}

export function canResume(status: Status): boolean {
  return RESUMABLE.has(status);
}

const RESUMABLE: ReadonlySet<Status> = new Set([
  ...(["paused", "interrupted", "budget_exceeded", "crashed", "failed"] as const),
]);
