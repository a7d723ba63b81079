import type { Graph, Node } from "../../core/graph/graph.ts";
import type { OverviewAgentJson, QuestionJson } from "../api.ts";

/** The agents in a node of the picture, by what they do. */
export interface Mark {
  /** The most urgent first; none of them is empty. */
  readonly groups: readonly MarkGroup[];
}

export interface MarkGroup {
  readonly does: Does;
  readonly agents: readonly string[];
}

export type Does = (typeof BY_URGENCY)[number];
const BY_URGENCY = ["failed", "asks", "busy", "waits", "stopped"] as const;

/** What the agents of a group do, as words after their number or names. */
export const DOES_WORDS: Readonly<Record<Does, string>> = {
  failed: "failed",
  asks: "asking",
  busy: "running",
  waits: "waiting",
  stopped: "stopped",
};

/** The marks of the nodes in which agents are, by their ids. */
export function marksOf(
  graph: Graph,
  agents: readonly OverviewAgentJson[],
  questions: readonly QuestionJson[],
): ReadonlyMap<string, Mark> {
  const places = new Map<string, Map<Does, string[]>>();
  for (const agent of agents) {
    if (agent.ended || agent.state === null) continue;
    const does = doesOf(agent);
    const place = (does === "asks" ? askedIn(graph, agent, questions) : null) ?? agent.state;
    const there = places.get(place) ?? new Map<Does, string[]>();
    places.set(place, there.set(does, [...(there.get(does) ?? []), agent.agent]));
  }
  return new Map([...places].map(([place, there]) => [place, markOf(there)] as const));
}

function markOf(there: ReadonlyMap<Does, readonly string[]>): Mark {
  return {
    groups: BY_URGENCY.flatMap((does) => {
      const agents = there.get(does);
      return agents === undefined ? [] : [{ does, agents }];
    }),
  };
}

function doesOf({ does, waits_for }: OverviewAgentJson): Does {
  switch (does) {
    case "failed":
      return "failed";
    case "running":
      return "busy";
    case "stopped":
      return "stopped";
    case "ready":
    case "waiting":
    case "ended":
      return waits_for?.for === "answer" ? "asks" : "waits";
  }
}

/** The node of its question: an agent that asks stands already where its answer will lead. */
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

/** The picture before any run: what decides where everything stands, so that nothing moves while a run goes on. */
export function bare(graph: Graph): Graph {
  // Room for what a run will write there.
  const visited: Node["visited"] = { visits: 99, durationMs: 59_000, costMicroUsd: 9_990_000 };
  return {
    nodes: graph.nodes.map((node) => (node.state === null ? node : { ...node, visited })),
    edges: graph.edges.map((edge) => ({ ...edge, times: 99 })),
  };
}
