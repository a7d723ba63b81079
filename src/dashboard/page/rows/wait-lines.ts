import { localMoment } from "../../../console/local-time.ts";
import { printable } from "../../../log/printable.ts";
import type { OverviewAgentJson, OverviewJson } from "../../api.ts";
import { waitReason } from "./agent-rows.ts";

type WaitingRun = Pick<OverviewJson, "status" | "wait" | "agents" | "stop_reason">;

/** Other agents are only counted. */
const MAX_NAMED = 3;

/** Why a run makes no progress, and until when: its usage limit or outage, and the delays and retries of its agents. */
export function waitLines(
  { status, wait, agents, stop_reason }: WaitingRun,
  now: number,
): readonly string[] {
  const isStopped = stop_reason !== null;
  const limit = wait === null ? [] : [limitLine(wait, isStopped, now)];
  // While other agents are running, the list of agents shows delays.
  if (status === "running" || status === "completed") return limit;
  const delayed = agents.filter(isDelayed);
  const named = delayed
    .slice(0, MAX_NAMED)
    .map((agent) => `${agent.agent}: ${waitReason(agent.waits_for, now)}.`);
  const more = delayed.length - named.length;
  return [
    ...limit,
    ...named,
    ...(more === 0 ? [] : [`${String(more)} more agents are waiting.`]),
  ].map(printable);
}

function limitLine(
  { class: of, until, message }: NonNullable<OverviewJson["wait"]>,
  isStopped: boolean,
  now: number,
): string {
  const end = localMoment(Date.parse(until), now);
  const what = of === "limit" ? "usage limit" : "service";
  if (!isStopped) return printable(`Waiting for the ${what}, next try ${end}: ${message}`);
  if (of === "outage") return `The next try was planned for ${end}.`;
  return Date.parse(until) > now
    ? `The usage limit resets ${end}.`
    : `The usage limit was expected to reset ${end}.`;
}

function isDelayed(agent: OverviewAgentJson): agent is OverviewAgentJson & {
  readonly waits_for: NonNullable<OverviewAgentJson["waits_for"]>;
} {
  return agent.waits_for?.for === "delay" || agent.waits_for?.for === "retry";
}
