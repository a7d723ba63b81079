import type { Edge, Graph, Node, RunTrace, TracedMove } from "./graph.ts";

export function overlayRun(graph: Graph, { states, trips: moves }: RunTrace): Graph {
  const times = new Map<Edge, number>();
  const unknown: TracedMove[] = [];
  for (const move of moves) {
    const taken = edgesOf(graph, move);
    if (taken.length === 0) unknown.push(move);
    for (const edge of taken) times.set(edge, (times.get(edge) ?? 0) + move.times);
  }
  const declared = {
    nodes: graph.nodes.map((node) => {
      const visited = node.state === null ? undefined : states.get(node.state);
      return visited === undefined ? node : { ...node, visited };
    }),
    edges: graph.edges.map((edge) => ({ ...edge, times: times.get(edge) ?? null })),
  };
  return withUndeclared(declared, unknown);
}

function edgesOf({ edges }: Graph, move: TracedMove): readonly Edge[] {
  const leaving = edges.filter(({ from, also }) => from === move.from || also.includes(move.from));
  switch (move.kind) {
    case "forked":
      return leaving.filter(({ to, kind }) => to === move.to && kind === "fork");
    case "refused": {
      const isBack = ({ from, to, kind }: Edge) =>
        from === move.to && to === move.from && kind === "refused";
      return [
        ...leaving.filter(({ to, kind }) => to === move.to && kind === "gate"),
        ...edges.filter(isBack),
      ];
    }
    case "end": {
      const collected = leaving.filter(({ kind }) => move.worker && kind === "collect");
      if (collected.length > 0) return collected;
      const ends = leaving.filter(({ to }) => to === endId(move.worker));
      if (ends.length > 0) return ends;
      // Without a declared start, only the run knows whether an agent is a worker.
      return leaving.filter(({ to }) => to === endId(!move.worker)).slice(0, 1);
    }
    case "moved": {
      const straight = leaving.filter(({ to, kind }) => to === move.to && !APART.has(kind));
      if (straight.length > 0) return straight;
      return edges
        .filter(({ to, kind }) => to === move.to && kind !== "refused")
        .flatMap((second) => {
          const first = leaving.find(({ to }) => to === second.from);
          return first === undefined ? [] : [first, second];
        })
        .slice(0, 2);
    }
  }
}

/** Edges that do not move the agent itself. */
const APART: ReadonlySet<Edge["kind"]> = new Set(["fork", "collect", "refused"]);

/**
 * Adds moves of a run that no rule or text declares, after all declared edges, so that their layout
 * does not change. Moves of deleted states are omitted.
 */
function withUndeclared(graph: Graph, moves: readonly TracedMove[]): Graph {
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

function endId(worker: boolean): string {
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
