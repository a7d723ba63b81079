import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  rowAfterKey,
  rowsInView,
  scrollTo,
} from "../../../../src/dashboard/page/model/rows-in-view.ts";

const view = fc.record({
  count: fc.nat(20_000),
  rowHeight: fc.integer({ min: 10, max: 80 }),
  scrolled: fc.nat(1_000_000),
  height: fc.nat(2_000),
});

describe("a long list", () => {
  it("renders all visible rows, and few others", () => {
    fc.assert(
      fc.property(view, (of) => {
        const { first, end } = rowsInView(of);
        const seen = (row: number) =>
          row * of.rowHeight < of.scrolled + of.height && (row + 1) * of.rowHeight > of.scrolled;
        expect(end - first).toBeLessThanOrEqual(of.height / of.rowHeight + 20);
        for (let row = Math.max(0, first - 3); row < Math.min(of.count, end + 3); row += 1) {
          if (seen(row)) expect(row >= first && row < end).toBe(true);
        }
        expect(first).toBeGreaterThanOrEqual(0);
        expect(end).toBeLessThanOrEqual(of.count);
      }),
    );
  });

  it("scrolls until the selected row is completely visible", () => {
    const keys = fc.constantFrom(
      "ArrowDown",
      "ArrowUp",
      "PageDown",
      "PageUp",
      "Home",
      "End",
      "j",
      "k",
    );
    fc.assert(
      fc.property(view, keys, fc.nat(), (given, key, from) => {
        const of = { ...given, height: given.height + 2 * given.rowHeight, count: given.count + 1 };
        const row = rowAfterKey(key, from % of.count, of) ?? -1;
        const scrolled = scrollTo(row, of);
        expect(row).toBeGreaterThanOrEqual(0);
        expect(row).toBeLessThan(of.count);
        expect(row * of.rowHeight).toBeGreaterThanOrEqual(scrolled);
        expect((row + 1) * of.rowHeight).toBeLessThanOrEqual(scrolled + of.height);
      }),
    );
  });

  it("ignores other keys", () => {
    expect(rowAfterKey("Tab", 3, { count: 9, rowHeight: 10, scrolled: 0, height: 50 })).toBeNull();
  });
});
