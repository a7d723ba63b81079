import type { StateName } from "../protocol/transition.ts";
import type { Edge, Graph, Visited } from "./graph.ts";

/** Where a run has been: what it has done in each state, and each way that it took. */
export interface Travelled {
  readonly states: ReadonlyMap<StateName, Visited>;
  readonly trips: readonly Trip[];
}

/**
 * A way that was taken so often. `end`: an agent has ended in `from`, as worker or
 * as the first one. `refused`: the gate `to` did not let it through.
 */
export type Trip = { readonly from: StateName; readonly times: number } & (
  | { readonly kind: "moved" | "forked" | "refused"; readonly to: StateName }
  | { readonly kind: "end"; readonly worker: boolean }
);

/** The picture with what a run has done laid over it. */
export function layOver(graph: Graph, { states, trips }: Travelled): Graph {
  const times = new Map<Edge, number>();
  for (const trip of trips) {
    for (const edge of edgesOf(graph, trip)) times.set(edge, (times.get(edge) ?? 0) + trip.times);
  }
  return {
    nodes: graph.nodes.map((node) => {
      const visited = node.state === null ? undefined : states.get(node.state);
      return visited === undefined ? node : { ...node, visited };
    }),
    edges: graph.edges.map((edge) => ({ ...edge, times: times.get(edge) ?? null })),
  };
}

function edgesOf({ edges }: Graph, trip: Trip): readonly Edge[] {
  const leaving = edges.filter(({ from }) => from === trip.from);
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
      return leaving.filter(({ to }) => to === `end:${trip.worker ? "worker" : "main"}`);
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
