import type { Edge, Graph } from "./graph.ts";
import type { RunTrace, TracedMove } from "./run-trace.ts";
import { endId, withUndeclared } from "./undeclared.ts";

/** The picture with what a run has done laid over it. */
export function overlayRun(graph: Graph, { states, trips }: RunTrace): Graph {
  const times = new Map<Edge, number>();
  const unknown: TracedMove[] = [];
  for (const trip of trips) {
    const taken = edgesOf(graph, trip);
    if (taken.length === 0) unknown.push(trip);
    for (const edge of taken) times.set(edge, (times.get(edge) ?? 0) + trip.times);
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

function edgesOf({ edges }: Graph, trip: TracedMove): readonly Edge[] {
  const leaving = edges.filter(({ from, also }) => from === trip.from || also.includes(trip.from));
  switch (trip.kind) {
    case "forked":
      return leaving.filter(({ to, kind }) => to === trip.to && kind === "fork");
    case "refused": {
      const isBack = ({ from, to, kind }: Edge) =>
        from === trip.to && to === trip.from && kind === "refused";
      return [
        ...leaving.filter(({ to, kind }) => to === trip.to && kind === "gate"),
        ...edges.filter(isBack),
      ];
    }
    case "end": {
      const heard = leaving.filter(({ kind }) => trip.worker && kind === "collect");
      if (heard.length > 0) return heard;
      const ends = leaving.filter(({ to }) => to === endId(trip.worker));
      if (ends.length > 0) return ends;
      // As what it was begun as, only the run knows where nobody has declared its beginning.
      return leaving.filter(({ to }) => to === endId(!trip.worker)).slice(0, 1);
    }
    case "moved": {
      const straight = leaving.filter(({ to, kind }) => to === trip.to && !APART.has(kind));
      if (straight.length > 0) return straight;
      return edges
        .filter(({ to, kind }) => to === trip.to && kind !== "refused")
        .flatMap((second) => {
          const first = leaving.find(({ to }) => to === second.from);
          return first === undefined ? [] : [first, second];
        })
        .slice(0, 2);
    }
  }
}

/** What is no move of the agent that stands there. */
const APART: ReadonlySet<Edge["kind"]> = new Set(["fork", "collect", "refused"]);
