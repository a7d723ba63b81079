import { captionOf, type Graph, linesOf, type Node } from "./graph.ts";

/** Positions, in pixels. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The center of each node, in the order of the graph. */
  readonly nodes: readonly Point[];
  readonly edges: readonly LaidEdge[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface LaidEdge {
  /** From the border of one node to the border of the other. */
  readonly points: readonly Point[];
  /** The left end of its caption, at half its height. */
  readonly caption: Point;
}

/** The input of a layout: sizes and edges. */
export interface Boxes {
  readonly nodes: readonly Box[];
  readonly edges: readonly (Box & { readonly from: number; readonly to: number })[];
}

export interface Box {
  readonly width: number;
  readonly height: number;
}

/** An edge from a node to itself, on its right. */
export function loopAt({ x, y }: Point, { width, height }: Box): LaidEdge {
  const right = x + width / 2;
  const rise = height / 4;
  return {
    points: [
      { x: right, y: y - rise },
      { x: right + 22, y: y - 2 * rise },
      { x: right + LOOP_WIDTH, y },
      { x: right + 22, y: y + 2 * rise },
      { x: right, y: y + rise },
    ],
    caption: { x: right + LOOP_WIDTH, y },
  };
}

/** Width of a loop without its caption. */
export const LOOP_WIDTH = 26;

export const FONT = { label: 14, note: 11, caption: 11, line: 15 } as const;

/** The sizes of all nodes and captions. */
export function boxesOf(graph: Graph): Boxes {
  const places = new Map(graph.nodes.map(({ id }, index) => [id, index]));
  return {
    nodes: graph.nodes.map(nodeBox),
    edges: graph.edges.map((edge) => ({
      width: widthOf(captionOf(edge), FONT.caption) + 8,
      height: FONT.line,
      from: places.get(edge.from) ?? 0,
      to: places.get(edge.to) ?? 0,
    })),
  };
}

function nodeBox(node: Node): Box {
  const [label = "", ...notes] = linesOf(node);
  if (node.kind === "end") return { width: 22, height: 22 };
  const text = Math.max(
    widthOf(label, FONT.label),
    ...notes.map((note) => widthOf(note, FONT.note)),
  );
  const height = 34 + notes.length * FONT.line;
  return { width: text + (node.gate || node.kind === "question" ? 44 : 28), height };
}

/** Estimated width of a text, rounded up: no browser measures it. */
export function widthOf(text: string, size: number): number {
  let ems = 0;
  for (const char of text) ems += emsOf(char);
  return Math.ceil(ems * size);
}

function emsOf(char: string): number {
  if (/[ilj.,:;|'!()[\] ]/.test(char)) return 0.34;
  if (/[A-Z_mwMW@%\u2026\u00d7]/.test(char)) return 0.74;
  // East Asian characters are square.
  return char > "\u2e80" ? 1.05 : 0.6;
}
