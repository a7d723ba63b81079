/** Where everything of a picture stands, in pixels. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  /** The middle of each node, in the order of the graph. */
  readonly nodes: readonly Point[];
  readonly edges: readonly LaidEdge[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface LaidEdge {
  /** From the border of one node to that of the other. */
  readonly points: readonly Point[];
  /** Where its caption begins, and the middle of its height. */
  readonly caption: Point;
}

/** What a layout is made of: sizes, and what leads where. */
export interface Boxes {
  readonly nodes: readonly Box[];
  readonly edges: readonly (Box & { readonly from: number; readonly to: number })[];
}

export interface Box {
  readonly width: number;
  readonly height: number;
}

/** A way from a node to itself, on its right. */
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

/** So far it goes to the right, without its caption. */
export const LOOP_WIDTH = 26;
