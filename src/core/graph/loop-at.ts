import type { Box, LaidEdge, Point } from "./layout.ts";

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
