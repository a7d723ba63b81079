import type { Graph, Node } from "../../../analysis/graph/graph.ts";
import type { OverviewAgentJson, QuestionJson } from "../../api.ts";

/** The agents in a node of the graph, by activity: most urgent first, no empty groups. */
export type Mark = readonly {
  readonly does: Activity;
  readonly agents: readonly string[];
}[];

type Activity = (typeof BY_URGENCY)[number];
const BY_URGENCY = ["failed", "asks", "busy", "waits", "stopped"] as const;

/** Shown after the number or the names of the agents. */
export const ACTIVITY_TEXT: Readonly<Record<Activity, string>> = {
  failed: "failed",
  asks: "asking",
  busy: "running",
  waits: "waiting",
  stopped: "stopped",
};

export function marksOf(
  graph: Graph,
  agents: readonly OverviewAgentJson[],
  questions: readonly QuestionJson[],
): ReadonlyMap<string, Mark> {
  const places = new Map<string, Map<Activity, string[]>>();
  for (const agent of agents) {
    if (agent.ended || agent.state === null) continue;
    const does = activityOf(agent);
    const place = (does === "asks" ? askedIn(graph, agent, questions) : null) ?? agent.state;
    const there = places.get(place) ?? new Map<Activity, string[]>();
    places.set(place, there.set(does, [...(there.get(does) ?? []), agent.agent]));
  }
  return new Map([...places].map(([place, there]) => [place, markOf(there)] as const));
}

function markOf(there: ReadonlyMap<Activity, readonly string[]>): Mark {
  return BY_URGENCY.flatMap((does) => {
    const agents = there.get(does);
    return agents === undefined ? [] : [{ does, agents }];
  });
}

function activityOf({ does, waits_for }: OverviewAgentJson): Activity {
  if (does === "failed" || does === "stopped") return does;
  if (does === "running") return "busy";
  return waits_for?.for === "answer" ? "asks" : "waits";
}

/** The node of the question. The state of an agent that asks is already the one after the answer. */
function askedIn(
  { nodes, edges }: Graph,
  agent: OverviewAgentJson,
  questions: readonly QuestionJson[],
): string | null {
  const from = questions.find(({ agent: asker }) => asker === agent.agent)?.state;
  const leads = (a: string, b: string | null) =>
    edges.some(({ from, to }) => from === a && to === b);
  const asked = nodes.filter(({ id, kind }) => kind === "question" && leads(from ?? "", id));
  return (asked.find(({ id }) => leads(id, agent.state)) ?? asked[0])?.id ?? null;
}

/** The graph that determines the layout: without the values of a run, so that nothing moves while it is running. */
export function withoutRun(graph: Graph): Graph {
  // Reserves space for the values of a run.
  const visited: Node["visited"] = { visits: 99, durationMs: 59_000, costMicroUsd: 9_990_000 };
  return {
    nodes: graph.nodes.map((node) => (node.state === null ? node : { ...node, visited })),
    edges: graph.edges.map((edge) => ({ ...edge, times: 99 })),
  };
}
