import type { Edge, EdgeKind, Graph, Node, NodeKind } from "./graph.ts";

/** The colours of a node, the same in every format. */
export interface NodeStyle {
  readonly fill: string;
  readonly stroke: string;
  readonly text: string;
  readonly dashed: boolean;
}

/** The shape of a node: its kind, or a gate. */
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

/** Unreachable nodes, and everything that the shown run did not use. */
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

/** Whether the shown run did not use it, or without one, no run can reach it. */
export function isDimmed(graph: Graph, one: Node | Edge): boolean {
  const hasRun = graph.nodes.some(({ visited }) => visited !== null);
  if ("times" in one) return hasRun && one.times === null;
  return hasRun ? one.state !== null && one.visited === null : !one.reached;
}
