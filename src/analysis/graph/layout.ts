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
