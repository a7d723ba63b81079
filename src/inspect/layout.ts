import {
  type Box,
  type Boxes,
  type LaidEdge,
  type Layout,
  loopAt,
  type Point,
} from "../analysis/graph/layout.ts";
import { layOutInRows } from "../analysis/graph/row-layout.ts";
import { rowsCrossed } from "../analysis/graph/rows-crossed.ts";

/** The used part of the library, whose types do not resolve with file extensions in imports. */
interface Library {
  readonly Graph: new (options: { readonly multigraph: boolean }) => LibraryGraph;
  readonly layout: (graph: LibraryGraph) => void;
}

interface LibraryGraph {
  setGraph(options: Readonly<Record<string, unknown>>): unknown;
  setNode(id: string, box: Box): unknown;
  setEdge(from: string, to: string, box: Box & typeof BESIDE, name: string): unknown;
  graph(): Box;
  node(id: string): Point;
  edge(id: { readonly v: string; readonly w: string; readonly name: string }): Laid;
}

interface Laid extends Point {
  readonly points: readonly Point[];
}

/** Lays out boxes in layers from top to bottom. Deterministic. */
export async function layOut(boxes: Boxes): Promise<Layout> {
  return rowsCrossed(boxes) > MOST_CROSSED ? layOutInRows(boxes) : layOutWell(boxes);
}

/**
 * Above this the library takes many seconds (20 for 300 states with long jumps), and its result is
 * unreadable.
 */
const MOST_CROSSED = 2_000;

async function layOutWell({ nodes, edges }: Boxes): Promise<Layout> {
  const library: unknown = await import("@dagrejs/dagre");
  const { Graph, layout } = library as Library;
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "TB", nodesep: 36, edgesep: 18, ranksep: 24 });
  // The library stores the position in the box.
  for (const [at, box] of nodes.entries()) graph.setNode(String(at), { ...box });
  for (const [at, { from, to, ...box }] of edges.entries()) {
    graph.setEdge(String(from), String(to), { ...box, ...BESIDE }, String(at));
  }
  layout(graph);
  const { width, height } = graph.graph();
  return {
    width,
    height,
    nodes: nodes.map((_, at) => graph.node(String(at))),
    edges: edges.map(({ from, to, width: room }, at): LaidEdge => {
      const { x, y, points } = graph.edge({ v: String(from), w: String(to), name: String(at) });
      const box = nodes[from];
      if (from === to && box !== undefined) return loopAt(graph.node(String(from)), box);
      return { points, caption: { x: x - room / 2, y } };
    }),
  };
}

/** Captions are to the right of their lines. */
const BESIDE = { labelpos: "r", labeloffset: 5 };
