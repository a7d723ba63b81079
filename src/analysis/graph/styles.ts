import type { Edge, EdgeKind, Graph, Node, NodeKind } from "./graph.ts";

/** How a node looks: a shape for its kind, and colours that are the same in every format. */
export interface NodeStyle {
  readonly fill: string;
  readonly stroke: string;
  readonly text: string;
  readonly dashed: boolean;
}

/** What a node is drawn as: a script that is a gate has a look of its own. */
export type NodeShape = NodeKind | "gate";

export function nodeShapeOf({ kind, gate }: Pick<Node, "kind" | "gate">): NodeShape {
  return gate ? "gate" : kind;
}

export const NODE_STYLES: Readonly<Record<NodeShape, NodeStyle>> = {
  prompt: { fill: "#e8f0fe", stroke: "#3367d6", text: "#111111", dashed: false },
  script: { fill: "#f1f3f4", stroke: "#5f6368", text: "#111111", dashed: false },
  gate: { fill: "#fff4e0", stroke: "#b06000", text: "#111111", dashed: false },
  question: { fill: "#fce8f3", stroke: "#b3267a", text: "#111111", dashed: false },
  workflow: { fill: "#e6f4ea", stroke: "#188038", text: "#111111", dashed: false },
  end: { fill: "#ffffff", stroke: "#111111", text: "#111111", dashed: false },
  missing: { fill: "#ffffff", stroke: "#c5221f", text: "#c5221f", dashed: true },
  open: { fill: "#ffffff", stroke: "#777777", text: "#777777", dashed: true },
};

/** What no run comes to, or not the one that is shown. */
export const DIMMED: NodeStyle = {
  fill: "#ffffff",
  stroke: "#bbbbbb",
  text: "#888888",
  dashed: false,
};

export interface EdgeStyle {
  readonly stroke: string;
  readonly width: number;
  /** As in SVG; null for one without gaps. */
  readonly dash: string | null;
}

export const EDGE_STYLES: Readonly<Record<EdgeKind, EdgeStyle>> = {
  way: { stroke: "#3c4043", width: 1.4, dash: null },
  call: { stroke: "#3367d6", width: 2.6, dash: null },
  return: { stroke: "#3367d6", width: 1.4, dash: "6 4" },
  fork: { stroke: "#188038", width: 2.6, dash: null },
  join: { stroke: "#188038", width: 1.4, dash: null },
  collect: { stroke: "#188038", width: 1.4, dash: "6 4" },
  gate: { stroke: "#b06000", width: 1.4, dash: null },
  refused: { stroke: "#b06000", width: 1.4, dash: "6 4" },
  diverted: { stroke: "#c5221f", width: 1.4, dash: "2 3" },
  undeclared: { stroke: "#8430ce", width: 2, dash: "1 4" },
};

/** Whether a run was laid over the picture and has not come here, or none can: it is drawn pale. */
export function isDimmed(graph: Graph, one: Node | Edge): boolean {
  const hasRun = graph.nodes.some(({ visited }) => visited !== null);
  if ("times" in one) return hasRun && one.times === null;
  return hasRun ? one.state !== null && one.visited === null : !one.reached;
}
