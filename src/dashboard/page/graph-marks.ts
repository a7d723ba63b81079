import type { Graph, Node } from "../../core/graph/graph.ts";
import type { OverviewAgentJson, QuestionJson } from "../api.ts";

/** Who is in a node of the picture now: how many agents, and what the most urgent of them does. */
export interface Mark {
  readonly agents: readonly string[];
  readonly does: "busy" | "waits" | "asks" | "failed";
}

const RANK: readonly Mark["does"][] = ["waits", "busy", "asks", "failed"];

/** The marks of the nodes in which agents are, by their ids. */
export function marksOf(
  graph: Graph,
  agents: readonly OverviewAgentJson[],
  questions: readonly QuestionJson[],
): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const agent of agents) {
    if (agent.ended || agent.state === null) continue;
    const does = doesOf(agent);
    const place = (does === "asks" ? askedIn(graph, agent, questions) : null) ?? agent.state;
    const known = marks.get(place);
    const isMore = known === undefined || RANK.indexOf(does) > RANK.indexOf(known.does);
    marks.set(place, {
      agents: [...(known?.agents ?? []), agent.agent],
      does: isMore ? does : known.does,
    });
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
