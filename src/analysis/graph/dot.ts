import { captionOf, type Edge, type Graph, linesOf, type Node } from "./graph.ts";
import {
  DIMMED,
  EDGE_STYLES,
  isDimmed,
  NODE_STYLES,
  type NodeShape,
  nodeShapeOf,
} from "./styles.ts";

export function printDot(graph: Graph): string {
  const nodes = graph.nodes.map((node) => {
    const label = linesOf(node).map(escaped).join("\\n");
    return `  "${escaped(node.id)}" [label="${label}", ${nodeAttributes(graph, node)}];`;
  });
  const edges = graph.edges.map((edge) => {
    const [from, to] = [escaped(edge.from), escaped(edge.to)];
    return `  "${from}" -> "${to}" [label="${escaped(captionOf(edge))}", ${edgeAttributes(graph, edge)}];`;
  });
  const head = [
    '  graph [rankdir=TB]; node [fontname="Helvetica"];',
    '  edge [fontname="Helvetica", fontsize=10];',
  ];
  return `${["digraph workflow {", ...head, ...nodes, ...edges, "}"].join("\n")}\n`;
}

function nodeAttributes(graph: Graph, node: Node): string {
  const { fill, stroke, text, dashed } = isDimmed(graph, node)
    ? DIMMED
    : NODE_STYLES[nodeShapeOf(node)];
  const styles = [
    "filled",
    ...(dashed ? ["dashed"] : []),
    ...(node.kind === "prompt" ? ["rounded"] : []),
  ];
  return `shape=${SHAPES[nodeShapeOf(node)]}, style="${styles.join(",")}", fillcolor="${fill}", color="${stroke}", fontcolor="${text}"`;
}

const SHAPES: Readonly<Record<NodeShape, string>> = {
  prompt: "box",
  script: "box",
  gate: "hexagon",
  question: "parallelogram",
  workflow: "component",
  end: "doublecircle",
  missing: "box",
  open: "box",
};

function edgeAttributes(graph: Graph, edge: Edge): string {
  const { stroke, width, dash } = EDGE_STYLES[edge.kind];
  const colour = isDimmed(graph, edge) ? DIMMED.stroke : stroke;
  return `color="${colour}", fontcolor="${colour}", penwidth=${String(width)}, style=${dash === null ? "solid" : "dashed"}`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\"]/g, "\\$&").replaceAll(/[\n\r]+/g, " ");
}
