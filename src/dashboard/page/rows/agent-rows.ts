import { head } from "../../../console/format/first-line.ts";
import { localMoment } from "../../../console/local-time.ts";
import type { WaitJson } from "../../../inspect/json/shapes.ts";
import { formatUsd, toMicroUsd } from "../../../language/basics/money.ts";
import { formatContext } from "../../../language/basics/tokens.ts";
import { printable } from "../../../log/printable.ts";
import type { OverviewAgentJson, OverviewJson } from "../../api.ts";
import { elapsed } from "./elapsed.ts";
import type { Status } from "./status-look.ts";

/** An agent in the list. All texts are safe to display. */
export interface AgentRow {
  readonly agent: string;
  readonly state: string;
  readonly symbol: string;
  readonly tone: "live" | "good" | "bad" | "warn" | "plain";
  readonly does: string;
  /** Its question, failure or result. */
  readonly text: string;
  readonly cost: string;
  readonly context: string;
  /** Whether the user can end its delay. */
  readonly canWake: boolean;
}

const LOOKS: Readonly<Record<OverviewAgentJson["does"], Pick<AgentRow, "symbol" | "tone">>> = {
  running: { symbol: "●", tone: "live" },
  ready: { symbol: "○", tone: "live" },
  waiting: { symbol: "◔", tone: "plain" },
  stopped: { symbol: "■", tone: "plain" },
  failed: { symbol: "✕", tone: "bad" },
  ended: { symbol: "✓", tone: "good" },
};

export function agentRow(
  of: OverviewAgentJson,
  { results, status }: Pick<OverviewJson, "results" | "status">,
  now: number,
): AgentRow {
  const wait = of.waits_for;
  const look = wait?.for === "answer" ? { symbol: "?", tone: "warn" as const } : LOOKS[of.does];
  const failed = of.ended && of.reported !== null;
  return {
    agent: printable(of.agent),
    state: printable(of.state ?? ""),
    ...(failed ? LOOKS.failed : look),
    does: printable(failed ? "failed" : activityText(of, status, now)),
    text: printable(
      head(of.error?.message ?? of.reported ?? wait?.question ?? results[of.agent] ?? "").first,
    ),
    cost: of.cost_usd === null || of.cost_usd === 0 ? "" : formatUsd(toMicroUsd(of.cost_usd)),
    context: of.context === null ? "" : formatContext(of.context),
    canWake: wait?.for === "delay" || wait?.for === "retry",
  };
}

function activityText(
  { does, since, waits_for, step }: OverviewAgentJson,
  status: Status,
  now: number,
): string {
  switch (does) {
    case "running": {
      const took = since === null ? "" : elapsed(Date.parse(since), now);
      return `running step ${String(step ?? "")}${took === "" ? "" : ` for ${took}`}`;
    }
    case "ready":
      return status === "queued" ? "queued with its run" : "ready for its next step";
    case "waiting":
      return waits_for === null ? "waiting" : waitReason(waits_for, now);
    case "stopped":
      return waits_for === null ? "stopped" : `stopped, ${waitReason(waits_for, now)}`;
    case "failed":
      return "failed";
    case "ended":
      return "ended";
  }
}

/** Why an agent does not start its next step, and until when. */
export function waitReason({ for: cause, until }: WaitJson, now: number): string {
  const end = until === null ? "" : `, until ${localMoment(Date.parse(until), now)}`;
  switch (cause) {
    case "limit":
      return `waiting for the usage limit to reset${end}`;
    case "probe":
      return "waiting for another agent to test the usage limit";
    case "retry":
      return `waiting to retry${end}`;
    case "delay":
      return `waiting for the delay of its workflow${end}`;
    case "join":
      return `waiting for its workers${end}`;
    case "opened":
      return "waiting while its conversation is open in a terminal";
    case "answer":
      return `waiting for an answer${end}`;
    case "place":
      return "queued: the maximum number of parallel prompts is running";
    case "steps":
      return "queued: the steps in flight may be the last that --max-steps allows";
    case "money":
      return "waiting for a higher budget";
  }
}
