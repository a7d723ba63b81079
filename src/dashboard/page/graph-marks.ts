import type { Graph, Node } from "../../core/graph/graph.ts";
import type { OverviewAgentJson } from "../api.ts";

/** Who is in a state now: how many agents, and what the most urgent of them does. */
export interface Mark {
  readonly count: number;
  readonly does: "busy" | "waits" | "asks" | "failed";
}

const RANK: readonly Mark["does"][] = ["waits", "busy", "asks", "failed"];

/** The marks of the states in which agents are, by the full name of the state. */
export function marksOf(agents: readonly OverviewAgentJson[]): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const agent of agents) {
    if (agent.ended || agent.state === null) continue;
    const does = doesOf(agent);
    const known = marks.get(agent.state);
    const isMore = known === undefined || RANK.indexOf(does) > RANK.indexOf(known.does);
    marks.set(agent.state, { count: (known?.count ?? 0) + 1, does: isMore ? does : known.does });
  }
  return marks;
}

function doesOf({ does, waits_for }: OverviewAgentJson): Mark["does"] {
  switch (does) {
    case "failed":
      return "failed";
    case "running":
    case "ready":
      return "busy";
    case "waiting":
    case "ended":
      return waits_for?.for === "answer" ? "asks" : "waits";
  }
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
