import { head } from "../../../console/format/first-line.ts";
import { localMoment } from "../../../console/local-time.ts";
import type { WaitJson } from "../../../inspect/json/shapes.ts";
import { formatDuration } from "../../../language/basics/duration.ts";
import type { OverviewAgentJson, OverviewJson } from "../../api.ts";
import type { Badge, Status } from "./badge.ts";

const BADGES: Readonly<Record<OverviewAgentJson["does"], Omit<Badge, "words">>> = {
  running: { symbol: "●", tone: "live" },
  ready: { symbol: "○", tone: "live" },
  waiting: { symbol: "◔", tone: "plain" },
  stopped: { symbol: "■", tone: "plain" },
  failed: { symbol: "✕", tone: "bad" },
  ended: { symbol: "✓", tone: "good" },
};

export function agentBadge(agent: OverviewAgentJson, status: Status, now: number): Badge {
  const { does, ended, reported, waits_for } = agent;
  if (ended && reported !== null) return { ...BADGES.failed, words: "failed" };
  const words = activityText(agent, status, now);
  if (waits_for?.for === "answer") return { symbol: "?", tone: "warn", words };
  return { ...BADGES[does], words };
}

/** The state of an agent, with its coding agent if the run uses several. */
export function agentPlace(
  { state, backend }: Pick<OverviewAgentJson, "state" | "backend">,
  agents: readonly Pick<OverviewAgentJson, "backend">[],
): string | null {
  const used = new Set(agents.flatMap((agent) => agent.backend ?? []));
  return state === null || backend === null || used.size < 2 ? state : `${state} on ${backend}`;
}

/** The question, failure or result of an agent. */
export function agentText(
  { agent, error, reported, waits_for }: OverviewAgentJson,
  { results }: Pick<OverviewJson, "results">,
): string {
  return head(error?.message ?? reported ?? waits_for?.question ?? results[agent] ?? "").first;
}

function activityText(
  { does, since, waits_for, step }: OverviewAgentJson,
  status: Status,
  now: number,
): string {
  const reason = waits_for === null ? null : waitReason(waits_for, now);
  switch (does) {
    case "running": {
      const took = since === null ? "" : elapsed(Date.parse(since), now);
      return `running step ${String(step ?? "")}${took === "" ? "" : ` for ${took}`}`;
    }
    case "ready":
      return status === "queued" ? "queued with its run" : "ready for its next step";
    case "waiting":
      return reason ?? "waiting";
    case "stopped":
      return reason === null ? "stopped" : `stopped, ${reason}`;
    case "failed":
    case "ended":
      return does;
  }
}

/** The duration of something in progress, in whole seconds; empty in the first one. Epoch ms. */
export function elapsed(since: number, now: number): string {
  const seconds = Math.floor((now - since) / 1_000);
  return seconds < 1 ? "" : formatDuration(seconds * 1_000);
}

/** Why an agent does not start its next step, and until when. */
function waitReason({ for: cause, until }: WaitJson, now: number): string {
  const end = until === null ? "" : `, until ${localMoment(Date.parse(until), now)}`;
  return `${WAITS[cause]}${end}`;
}

const WAITS: Readonly<Record<WaitJson["for"], string>> = {
  limit: "waiting for the usage limit to reset",
  probe: "waiting for another agent to test the usage limit",
  retry: "waiting to retry",
  delay: "waiting for the delay of its workflow",
  join: "waiting for its workers",
  opened: "waiting while its conversation is open in a terminal",
  answer: "waiting for an answer",
  place: "queued: the maximum number of parallel prompts is running",
  steps: "queued: the steps in flight may be the last that --max-steps allows",
  money: "waiting for a higher budget",
};

/** More agents are only counted. */
const MAX_NAMED = 3;

/** Why a run makes no progress, and until when: its usage limit or outage, and the delays and retries of its agents. */
export function waitLines(
  {
    status,
    waits,
    agents,
    stop_reason,
  }: Pick<OverviewJson, "status" | "waits" | "agents" | "stop_reason">,
  now: number,
): readonly string[] {
  const limit = Object.values(waits).map((wait) => limitLine(wait, stop_reason !== null, now));
  // While other agents are running, the list of agents shows delays.
  if (status === "running" || status === "completed") return limit;
  const delays = agents.flatMap(({ agent, waits_for }) =>
    waits_for?.for === "delay" || waits_for?.for === "retry"
      ? [`${agent}: ${waitReason(waits_for, now)}.`]
      : [],
  );
  const more = delays.length - MAX_NAMED;
  const named = [...limit, ...delays.slice(0, MAX_NAMED)];
  return more <= 0 ? named : [...named, `${String(more)} more agents are waiting.`];
}

function limitLine(
  { class: of, until, message }: OverviewJson["waits"][string],
  isStopped: boolean,
  now: number,
): string {
  const end = localMoment(Date.parse(until), now);
  const what = of === "limit" ? "usage limit" : "service";
  if (!isStopped) return `Waiting for the ${what}, next try ${end}: ${message}`;
  if (of === "outage") return `The next try was planned for ${end}.`;
  return Date.parse(until) > now
    ? `The usage limit resets ${end}.`
    : `The usage limit was expected to reset ${end}.`;
}
