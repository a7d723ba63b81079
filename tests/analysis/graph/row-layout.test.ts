import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Boxes, Point } from "../../../src/analysis/graph/layout.ts";
import { layOutInRows } from "../../../src/analysis/graph/row-layout.ts";
import { rowsCrossed } from "../../../src/analysis/graph/rows-crossed.ts";
import { layOut } from "../../../src/inspect/layout.ts";

const CAPTION = { width: 30, height: 15 };

/** Boxes of one size, and these ways between them. */
function boxes(count: number, ways: readonly (readonly [from: number, to: number])[]): Boxes {
  return {
    nodes: Array.from({ length: count }, () => ({ width: 60, height: 34 })),
    edges: ways.map(([from, to]) => ({ from, to, ...CAPTION })),
  };
}

const anyBoxes = fc.integer({ min: 1, max: 60 }).chain((count) => {
  const node = fc.nat(count - 1);
  return fc.record({
    nodes: fc.array(
      fc.record({
        width: fc.integer({ min: 20, max: 300 }),
        height: fc.integer({ min: 20, max: 80 }),
      }),
      { minLength: count, maxLength: count },
    ),
    edges: fc.array(
      fc.record({ from: node, to: node }).map((way) => ({ ...way, ...CAPTION })),
      { maxLength: 120 },
    ),
  });
});

describe("places that are found at once", () => {
  it("keeps nodes apart, ways at the borders of their nodes, and all within the picture", () => {
    fc.assert(
      fc.property(anyBoxes, (of) => {
        const { nodes, edges, width, height } = layOutInRows(of);
        const sides = nodes.map(({ x, y }, at) => {
          const box = of.nodes[at] ?? CAPTION;
          return {
            ...{ left: x - box.width / 2, right: x + box.width / 2 },
            ...{ top: y - box.height / 2, bottom: y + box.height / 2 },
          };
        });
        const touching = sides.filter((one, at) => {
          return sides.slice(at + 1).some((other) => {
            const isBeside = one.right < other.left || other.right < one.left;
            return !isBeside && one.bottom >= other.top && other.bottom >= one.top;
          });
        });
        expect(touching).toEqual([]);
        const isAtBorder = (point: Point | undefined, node: number | undefined) => {
          const side = sides[node ?? -1];
          if (point === undefined || side === undefined) return false;
          const { x, y } = point;
          const isIn = x >= side.left && x <= side.right && y >= side.top && y <= side.bottom;
          return isIn && (x === side.right || y === side.top || y === side.bottom);
        };
        const loose = edges.filter(({ points }, at) => {
          const way = of.edges[at];
          return !isAtBorder(points[0], way?.from) || !isAtBorder(points.at(-1), way?.to);
        });
        expect(loose).toEqual([]);
        const seen = [...nodes, ...edges.flatMap(({ points, caption }) => [...points, caption])];
        expect(seen.filter(({ x, y }) => x < 0 || x > width || y < 0 || y > height)).toEqual([]);
      }),
    );
  });

  it("are those of a workflow of 300 states with long jumps, which fits a few screens so", async () => {
    const ring = Array.from({ length: 300 }, (_, at) => [at, (at + 1) % 300] as const);
    const jumps = ring.map(([at]) => [at, (at + 37) % 300] as const);
    const large = boxes(300, [...ring, ...jumps]);

    const layout = await layOut(large);

    expect(layout).toEqual(layOutInRows(large));
    expect(layout.height).toBeLessThan(5_000);
    expect(layout.width).toBeLessThan(3_000);
  });

  it("are not those of a long workflow without jumps", async () => {
    const chain = boxes(
      300,
      Array.from({ length: 299 }, (_, at) => [at, at + 1] as const),
    );

    expect(rowsCrossed(chain)).toBe(299);
    expect(await layOut(chain)).not.toEqual(layOutInRows(chain));
  });
});

describe("the rows that ways go through", () => {
  it.each([
    ["a way to itself: none", 1, [[0, 0]], 0],
    [
      "a way back: as many as the ways there",
      3,
      [
        [0, 1],
        [1, 2],
        [2, 0],
      ],
      4,
    ],
    [
      "a way that leaves one out",
      3,
      [
        [0, 1],
        [1, 2],
        [0, 2],
      ],
      4,
    ],
    [
      "nodes apart",
      4,
      [
        [0, 1],
        [2, 3],
      ],
      2,
    ],
  ] as const)("%s", (_, count, ways, crossed) => {
    expect(rowsCrossed(boxes(count, ways))).toBe(crossed);
  });
});
