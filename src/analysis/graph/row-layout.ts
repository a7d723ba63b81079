import {
  type Box,
  type Boxes,
  type LaidEdge,
  type Layout,
  LOOP_WIDTH,
  loopAt,
  type Point,
} from "./layout.ts";

/**
 * A fast layout for very many edges: in rows by distance from the root, with straight edges behind
 * the nodes. Laws: nodes do not touch, edges start and end at the borders of their nodes, and
 * everything is inside the picture.
 */
export function layOutInRows({ nodes, edges }: Boxes): Layout {
  const rows = rowsOf({ nodes, edges });
  const places: Placed[] = [];
  const widest = Math.max(0, ...rows.map((row) => widthOf(row, nodes)));
  let y = 0;
  for (const [row, members] of rows.entries()) {
    const height = Math.max(0, ...members.map((node) => nodes[node]?.height ?? 0));
    let x = (widest - widthOf(members, nodes)) / 2;
    for (const node of members) {
      const { width, height: own } = nodes[node] ?? NO_BOX;
      places[node] = { x: x + width / 2, y: y + height / 2, row, width, height: own };
      x += width + ACROSS;
    }
    y += height + DOWN;
  }
  const laid = edges.map(({ from, to }) => wayOf(places[from] ?? NOWHERE, places[to] ?? NOWHERE));
  const rights = laid.map(({ caption }, at) => caption.x + (edges[at]?.width ?? 0));
  return {
    width: Math.max(widest, ...rights),
    // Includes the edges below the last row.
    height: y,
    nodes: places.map(({ x, y: middle }) => ({ x, y: middle })),
    edges: laid,
  };
}

/** Gaps: within a row for loops, between rows for captions. */
const ACROSS = LOOP_WIDTH + 22;
const DOWN = 72;
/** Wider rows are broken. */
const WIDEST = 2_400;

interface Placed extends Point, Box {
  readonly row: number;
}

const NO_BOX: Box = { width: 0, height: 0 };
const NOWHERE: Placed = { x: 0, y: 0, row: 0, width: 0, height: 0 };

/** The nodes of each row, from left to right. */
function rowsOf({ nodes, edges }: Boxes): readonly (readonly number[])[] {
  const leaving = nodes.map((): number[] => []);
  for (const { from, to } of edges) leaving[from]?.push(to);
  const seen = new Set<number>();
  const rows: number[][] = [];
  for (const root of nodes.keys()) {
    let row = seen.has(root) ? [] : [root];
    while (row.length > 0) {
      for (const node of row) seen.add(node);
      rows.push(...broken(row, nodes));
      // In the order of their first predecessors.
      row = [...new Set(row.flatMap((node) => leaving[node] ?? []))].filter((to) => !seen.has(to));
    }
  }
  return rows;
}

function broken(row: readonly number[], nodes: readonly Box[]): readonly number[][] {
  const parts: number[][] = [];
  let part: number[] = [];
  for (const node of row) {
    if (part.length > 0 && widthOf([...part, node], nodes) > WIDEST) {
      parts.push(part);
      part = [];
    }
    part.push(node);
  }
  return [...parts, part];
}

function widthOf(row: readonly number[], nodes: readonly Box[]): number {
  return row.reduce((sum, node) => sum + (nodes[node]?.width ?? 0) + ACROSS, 0);
}

function wayOf(from: Placed, to: Placed): LaidEdge {
  if (from === to) return loopAt(from, from);
  // Edges down are left of edges up, so that both are visible.
  const side = to.row > from.row ? -1 : 1;
  const at = (place: Placed, below: boolean): Point => {
    return {
      x: place.x + (side * place.width) / 6,
      y: place.y + ((below ? 1 : -1) * place.height) / 2,
    };
  };
  const isUp = to.row < from.row;
  const start = at(from, !isUp);
  const end = at(to, isUp || to.row === from.row);
  const bend = (point: Point, below: boolean): Point => {
    return { x: point.x, y: point.y + ((below ? 1 : -1) * DOWN) / 3 };
  };
  const points = [start, bend(start, !isUp), bend(end, isUp || to.row === from.row), end];
  const [, first = start, last = end] = points;
  // Near the start of a long edge, where fewer other edges are.
  const share = Math.abs(last.y - first.y) <= DOWN ? 1 / 2 : 1 / 8;
  const caption = {
    x: first.x + (last.x - first.x) * share,
    y: first.y + (last.y - first.y) * share,
  };
  return { points, caption: { x: caption.x + 5, y: caption.y } };
}
