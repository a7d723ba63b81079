import type { Boxes } from "./layout.ts";

/**
 * The total number of rows that edges cross if only back edges lead up: the cost of a layout in which
 * no edge crosses a node.
 */
export function rowsCrossed(boxes: Boxes): number {
  const ways = withoutCircles(boxes);
  const rows = rowsOf(boxes.nodes.length, ways);
  return ways.reduce((sum, [from, to]) => sum + (rows[to] ?? 0) - (rows[from] ?? 0), 0);
}

type Way = readonly [from: number, to: number];

/** The edges with back edges reversed. */
function withoutCircles({ nodes, edges }: Boxes): readonly Way[] {
  const leaving = nodes.map((): number[] => []);
  for (const [at, { from }] of edges.entries()) leaving[from]?.push(at);
  const seen = new Set<number>();
  const open = new Set<number>();
  const back = new Set<number>();
  for (const root of nodes.keys()) {
    if (seen.has(root)) continue;
    const path: { readonly node: number; next: number }[] = [];
    const enter = (node: number): void => {
      seen.add(node);
      open.add(node);
      path.push({ node, next: 0 });
    };
    enter(root);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const edge = leaving[top.node]?.[top.next];
      top.next += 1;
      if (edge === undefined) {
        open.delete(top.node);
        path.pop();
        continue;
      }
      const to = edges[edge]?.to ?? top.node;
      if (open.has(to)) back.add(edge);
      else if (!seen.has(to)) enter(to);
    }
  }
  return edges
    .map(({ from, to }, at): Way => (back.has(at) ? [to, from] : [from, to]))
    .filter(([from, to]) => from !== to);
}

/** The row of each node: the length of the longest path to it. */
function rowsOf(count: number, ways: readonly Way[]): readonly number[] {
  const rows = Array<number>(count).fill(0);
  const waiting = Array<number>(count).fill(0);
  const leaving = rows.map((): number[] => []);
  for (const [from, to] of ways) {
    leaving[from]?.push(to);
    waiting[to] = (waiting[to] ?? 0) + 1;
  }
  const free = [...waiting.keys()].filter((node) => waiting[node] === 0);
  for (let node = free.pop(); node !== undefined; node = free.pop()) {
    for (const to of leaving[node] ?? []) {
      rows[to] = Math.max(rows[to] ?? 0, (rows[node] ?? 0) + 1);
      waiting[to] = (waiting[to] ?? 1) - 1;
      if (waiting[to] === 0) free.push(to);
    }
  }
  return rows;
}
