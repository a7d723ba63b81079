import type { Boxes } from "./layout.ts";

/**
 * How many rows the ways of a picture go through, all together, where no way but those back leads upwards. That is
 * what it costs to keep every way clear of every node: each row that one goes through is a place to be found for it.
 */
export function rowsCrossed(boxes: Boxes): number {
  const ways = withoutCircles(boxes);
  const rows = rowsOf(boxes.nodes.length, ways);
  return ways.reduce((sum, [from, to]) => sum + (rows[to] ?? 0) - (rows[from] ?? 0), 0);
}

type Way = readonly [from: number, to: number];

/** Those that lead back to where a walk has come from are turned around. */
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

/** For each node how many are above it on the longest way that leads there. */
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
