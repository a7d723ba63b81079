import type { Edge, Graph, Node, TracedMove } from "./graph.ts";

/**
 * Adds moves of a run that no rule or text declares, after all declared edges, so that their layout
 * does not change. Moves of deleted states are omitted.
 */
export function withUndeclared(graph: Graph, moves: readonly TracedMove[]): Graph {
  const states = new Set(graph.nodes.flatMap(({ state }) => state ?? []));
  const drawn = moves
    .filter(({ from }) => states.has(from))
    .filter((move) => move.kind === "end" || states.has(move.to))
    .toSorted((one, other) => other.times - one.times)
    .slice(0, MOST_UNDECLARED);
  const ends = drawn.flatMap((move) => (move.kind === "end" ? [endNode(move.worker)] : []));
  const known = new Set(graph.nodes.map(({ id }) => id));
  const added = new Map(ends.filter(({ id }) => !known.has(id)).map((node) => [node.id, node]));
  return {
    nodes: [...graph.nodes, ...added.values()],
    edges: [...graph.edges, ...drawn.map((move) => edgeOf(move, graph))],
  };
}

/** The most frequent undeclared moves are drawn. */
const MOST_UNDECLARED = 60;

/** The end of an agent by its result. */
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

function edgeOf(move: TracedMove, graph: Graph): Edge {
  const { from, times } = move;
  const to = move.kind === "end" ? endId(move.worker) : move.to;
  const isOpenState = graph.edges.some((edge) => edge.from === from && isOpen(edge, graph));
  const what = move.kind === "forked" ? "fork, " : move.kind === "end" ? "result, " : "";
  return {
    ...{ from, to, kind: "undeclared", mentioned: false, also: [], times },
    labels: [`${what}${isOpenState ? "known when it ran" : "not declared"}`],
  };
}

/** Whether the target is known only at run time. */
function isOpen({ to }: Edge, { nodes }: Graph): boolean {
  return nodes.some(({ id, kind }) => id === to && kind === "open");
}
