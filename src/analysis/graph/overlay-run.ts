import type { Edge, Graph, RunTrace, TracedMove } from "./graph.ts";
import { endId, withUndeclared } from "./undeclared.ts";

/** Adds the visits and moves of a run to a graph. */
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
