import type { Edge, Graph, Node } from "./graph.ts";
import type { TracedMove } from "./run-trace.ts";

/**
 * The picture with ways that a run has taken and that no rule and no text says: a model may choose any state where
 * nobody has ruled. Behind all that is declared, so that this keeps its place. Of a state that is no more there are none.
 */
export function withUndeclared(graph: Graph, trips: readonly TracedMove[]): Graph {
  const states = new Set(graph.nodes.flatMap(({ state }) => state ?? []));
  const drawn = trips
    .filter(({ from }) => states.has(from))
    .filter((trip) => trip.kind === "end" || states.has(trip.to))
    .toSorted((one, other) => other.times - one.times)
    .slice(0, MOST_UNDECLARED);
  const ends = drawn.flatMap((trip) => (trip.kind === "end" ? [endNode(trip.worker)] : []));
  const known = new Set(graph.nodes.map(({ id }) => id));
  const added = new Map(ends.filter(({ id }) => !known.has(id)).map((node) => [node.id, node]));
  return {
    nodes: [...graph.nodes, ...added.values()],
    edges: [...graph.edges, ...drawn.map((trip) => edgeOf(trip, graph))],
  };
}

/** With more of them nobody finds anything in the picture: the ways that were taken most often are drawn. */
const MOST_UNDECLARED = 60;

/** Where an agent ends by its result. */
export function endNode(worker: boolean): Node {
  return {
    ...{ id: endId(worker), kind: "end", label: worker ? "end of the worker" : "end" },
    ...{ state: null, notes: [], entry: false, gate: false, reached: true },
    ...{ problem: null, visited: null },
  };
}

export function endId(worker: boolean): string {
  return `end:${worker ? "worker" : "main"}`;
}

function edgeOf(trip: TracedMove, graph: Graph): Edge {
  const { from, times } = trip;
  const to = trip.kind === "end" ? endId(trip.worker) : trip.to;
  const isTold = graph.edges.some((edge) => edge.from === from && isOpen(edge, graph));
  const what = trip.kind === "forked" ? "fork, " : trip.kind === "end" ? "result, " : "";
  return {
    ...{ from, to, kind: "undeclared", mentioned: false, also: [], times },
    labels: [`${what}${isTold ? "known when it ran" : "not declared"}`],
  };
}

/** Something leads there whose name only a run tells. */
function isOpen({ to }: Edge, { nodes }: Graph): boolean {
  return nodes.some(({ id, kind }) => id === to && kind === "open");
}
