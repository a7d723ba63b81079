import { captionOf, type EdgeKind, type Graph, linesOf, type Node } from "./graph.ts";
import { DIMMED, isDimmed, NODE_STYLES, nodeShapeOf } from "./styles.ts";

export function printMermaid(graph: Graph): string {
  const ids = new Map(graph.nodes.map(({ id }, index) => [id, `n${String(index)}`]));
  const id = (of: string) => ids.get(of) ?? "n";
  const nodes = graph.nodes.map((node) => {
    const [open, close] = shapeOf(node);
    const text = linesOf(node).map(escaped).join("<br/>");
    return `  ${id(node.id)}${open}"${text}"${close}:::is-${isDimmed(graph, node) ? "pale" : nodeShapeOf(node)}`;
  });
  const edges = graph.edges.map((edge) => {
    return `  ${id(edge.from)} ${ARROWS[edge.kind]}|"${escaped(captionOf(edge))}"| ${id(edge.to)}`;
  });
  return `${["flowchart TD", ...nodes, ...edges, ...CLASSES].join("\n")}\n`;
}

const ARROWS: Readonly<Record<EdgeKind, string>> = {
  way: "-->",
  call: "==>",
  return: "-.->",
  fork: "==>",
  join: "-->",
  collect: "-.->",
  gate: "-->",
  refused: "-.->",
  diverted: "-.->",
  undeclared: "-.->",
};

function shapeOf({ kind, gate }: Node): readonly [open: string, close: string] {
  if (gate) return ["{{", "}}"];
  switch (kind) {
    case "prompt":
      return ["(", ")"];
    case "script":
      return ["[", "]"];
    case "question":
      return ["[/", "/]"];
    case "end":
      return ["((", "))"];
    case "workflow":
      return ["[[", "]]"];
    case "missing":
    case "open":
      return [">", "]"];
  }
}

const CLASSES = [...Object.entries(NODE_STYLES), ["pale", DIMMED] as const].map(
  ([name, { fill, stroke, text, dashed }]) =>
    `  classDef is-${name} fill:${fill},stroke:${stroke},color:${text}${dashed ? ",stroke-dasharray:4" : ""}`,
);

/** Escapes markup for a quoted text: Mermaid writes entities with #. */
function escaped(text: string): string {
  return text.replaceAll(/["#<>&`\\[\]{}|]/g, (sign) => `#${String(sign.codePointAt(0))};`);
}
