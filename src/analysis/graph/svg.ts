import { captionOf, type Edge, type Graph, linesOf, type Node } from "./graph.ts";
import { type Box, type Boxes, FONT, type Layout } from "./layout.ts";
import { legendOf } from "./legend.ts";
import { DIMMED, EDGE_STYLES, isDimmed, NODE_STYLES, nodeShapeOf } from "./styles.ts";
import { arrowHead, curve, escaped, num, shapeOf, textAt } from "./svg-parts.ts";

/** Prints a graph as SVG, without scripts and external resources. */
export function printSvg(graph: Graph, boxes: Boxes, layout: Layout, title: string): string {
  const legend = legendOf(graph);
  const inner = Math.max(layout.width, legend.width);
  const width = num(inner + 2 * MARGIN);
  const height = num(layout.height + legend.height + 2 * MARGIN);
  const left = MARGIN + (inner - layout.width) / 2;
  const edges = graph.edges.map((edge, at) =>
    drawEdge(edge, layout.edges[at], isDimmed(graph, edge)),
  );
  const nodes = graph.nodes.map((node, at) => {
    return drawNode(node, boxes.nodes[at], layout.nodes[at], isDimmed(graph, node));
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" font-family="Helvetica, Arial, sans-serif">`,
    `<title>${escaped(title)}</title>`,
    '<rect width="100%" height="100%" rx="8" fill="#ffffff"/>',
    `<g transform="translate(${num(left)} ${num(MARGIN)})">`,
    ...edges.map(({ line }) => line),
    ...nodes,
    ...edges.map(({ caption }) => caption),
    "</g>",
    `<g transform="translate(${num(MARGIN)} ${num(MARGIN + layout.height)})">`,
    legend.svg,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

const MARGIN = 16;

function drawNode(
  node: Node,
  box: Box | undefined,
  at: Layout["nodes"][number] | undefined,
  pale: boolean,
): string {
  if (box === undefined || at === undefined) return "";
  const drawn = nodeShapeOf(node);
  const wrong = node.problem === null ? {} : { stroke: NODE_STYLES.missing.stroke };
  const look = pale ? DIMMED : { ...NODE_STYLES[drawn], ...wrong };
  const [label = "", ...notes] = linesOf(node);
  const top = at.y - (notes.length * FONT.line) / 2;
  const weight = node.entry ? "bold" : "normal";
  const tip = node.problem === null ? [] : [`<title>${escaped(node.problem)}</title>`];
  const texts =
    node.kind === "end"
      ? [`<title>${escaped(label)}</title>`]
      : [
          textAt({ x: at.x, y: top }, label, { size: FONT.label, fill: look.text, weight }),
          ...notes.map((note, index) => {
            const y = top + (index + 1) * FONT.line;
            return textAt({ x: at.x, y }, note, {
              size: FONT.note,
              fill: pale ? DIMMED.text : "#5f6368",
            });
          }),
        ];
  return `<g>${[...tip, shapeOf(drawn, at, box, look, node.entry), ...texts].join("")}</g>`;
}

function drawEdge(edge: Edge, laid: Layout["edges"][number] | undefined, pale: boolean) {
  if (laid === undefined) return { line: "", caption: "" };
  const { stroke, width, dash } = EDGE_STYLES[edge.kind];
  const colour = pale ? DIMMED.stroke : stroke;
  const dashes = dash === null ? "" : ` stroke-dasharray="${dash}"`;
  const line = `<path d="${curve(laid.points)}" fill="none" stroke="${colour}" stroke-width="${num(width)}"${dashes}/>${arrowHead(laid.points, colour)}`;
  const caption = textAt(laid.caption, captionOf(edge), {
    ...{ size: FONT.caption, fill: colour, halo: true, anchor: "start" },
  });
  return { line, caption };
}
