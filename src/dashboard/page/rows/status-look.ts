import type { SummaryJson } from "../../../inspect/json/shapes.ts";
import type { OverviewJson } from "../../api.ts";

export type Status = SummaryJson["status"] | OverviewJson["status"];

/** The display of a status: never by color alone. */
export interface StatusLook {
  readonly symbol: string;
  readonly words: string;
  readonly tone: "live" | "good" | "warn" | "bad" | "plain";
}

const LOOKS: Readonly<Record<Status, StatusLook>> = {
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

export function lookOf(status: Status): StatusLook {
  return LOOKS[status];
}

/** Whether a process works on the run, or a worker is about to. */
export function isLive(status: Status): boolean {
  return lookOf(status).tone === "live";
}

export interface AllowedActions {
  readonly stop: boolean;
  readonly resume: boolean;
}

export function allowedActions(status: Status): AllowedActions {
  const stop = status === "running" || status === "waiting" || status === "queued";
  const over = status === "completed" || status === "unreadable";
  return { stop, resume: !stop && !over && status !== "stopping" && status !== "held" };
}
