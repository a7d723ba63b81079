import { formatDuration } from "../../core/duration.ts";
import { formatUsd, toMicroUsd } from "../../core/money.ts";
import { formatContext } from "../../core/tokens.ts";
import { head } from "../../observers/first-line.ts";
import { localMoment } from "../../observers/local-time.ts";
import { printable } from "../../observers/printable.ts";
import type { WaitJson } from "../../runs/json/shapes.ts";
import type { OverviewAgentJson, OverviewJson } from "../api.ts";

/** An agent as the list shows it: all of it text that is safe to show. */
export interface AgentRow {
  readonly agent: string;
  readonly state: string;
  readonly symbol: string;
  readonly tone: "live" | "good" | "bad" | "warn" | "plain";
  readonly does: string;
  /** More of what it does: the question, the failure, the result. */
  readonly text: string;
  readonly cost: string;
  readonly context: string;
  /** It waits for a time, which a person may end. */
  readonly canWake: boolean;
}

const LOOKS: Readonly<Record<OverviewAgentJson["does"], Pick<AgentRow, "symbol" | "tone">>> = {
  running: { symbol: "●", tone: "live" },
  ready: { symbol: "○", tone: "live" },
  waiting: { symbol: "◔", tone: "plain" },
  failed: { symbol: "✕", tone: "bad" },
  ended: { symbol: "✓", tone: "good" },
};

export function agentRow(
  of: OverviewAgentJson,
  { results }: Pick<OverviewJson, "results">,
  now: number,
): AgentRow {
  const wait = of.waits_for;
  const look = wait?.for === "answer" ? { symbol: "?", tone: "warn" as const } : LOOKS[of.does];
  const failed = of.ended && of.reported !== null;
  return {
    agent: printable(of.agent),
    state: printable(of.state ?? ""),
    ...(failed ? LOOKS.failed : look),
    does: printable(failed ? "has failed" : doesNow(of, now)),
    text: printable(
      head(of.error?.message ?? of.reported ?? wait?.question ?? results[of.agent] ?? "").first,
    ),
    cost: of.cost_usd === null || of.cost_usd === 0 ? "" : formatUsd(toMicroUsd(of.cost_usd)),
    context: of.context === null ? "" : formatContext(of.context),
    canWake: wait?.for === "delay" || wait?.for === "retry",
  };
}

function doesNow({ does, since, waits_for, step }: OverviewAgentJson, now: number): string {
  switch (does) {
    case "running": {
      const took =
        since === null ? "" : ` for ${formatDuration(Math.max(0, now - Date.parse(since)))}`;
      return `step ${String(step ?? "")} runs${took}`;
    }
    case "ready":
      return "is about to step";
    case "waiting":
      return waits_for === null ? "waits" : waitWords(waits_for, now);
    case "failed":
      return "has failed";
    case "ended":
      return "has ended";
  }
}

function waitWords({ for: cause, until }: WaitJson, now: number): string {
  const end = until === null ? "" : `, until ${localMoment(Date.parse(until), now)}`;
  switch (cause) {
    case "limit":
      return `waits for the usage limit${end}`;
    case "probe":
      return "waits for another agent that tries the usage limit";
    case "retry":
      return `waits for its next attempt${end}`;
    case "delay":
      return `waits as its workflow says${end}`;
    case "join":
      return `waits for its workers${end}`;
    case "opened":
      return "waits for the person who has opened its conversation";
    case "answer":
      return `waits for an answer${end}`;
    case "place":
      return "waits for a place among those that run";
    case "steps":
      return "waits for the last steps that are allowed";
    case "money":
      return "waits for money";
  }
}
