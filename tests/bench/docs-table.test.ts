import { describe, expect, it } from "vitest";
import { withRows } from "./docs-table.ts";
import { sampleOf } from "./measure.ts";
import type { Row } from "./table.ts";

const PAGE = "# Performance\n\n<!-- bench -->\n\nOld text.\n\n<!-- end -->\n\nMore.\n";

function row(what: string, values: readonly number[]): Row {
  return { what, floor: null, raymond: sampleOf(values), unit: "MiB", target: 70 };
}

describe("the table in docs/performance.md", () => {
  it("contains the medians of all rows that were ever measured, each once", () => {
    const first = withRows(PAGE, [row("alive", [80, 71, 60]), row("memory", [50])]);
    const second = withRows(first, [row("alive", [65]), row("large", [500])]);

    expect(second.split("\n")).toEqual([
      ...["# Performance", "", "<!-- bench -->", ""],
      "| what   | baseline |  raymond | ratio |   target |",
      "| ------ | -------: | -------: | ----: | -------: |",
      "| alive  |        – | 65.0 MiB |     – | ≤ 70 MiB |",
      "| memory |        – | 50.0 MiB |     – | ≤ 70 MiB |",
      "| large  |        – |  500 MiB |     – | ≤ 70 MiB |",
      ...["", "<!-- end -->", "", "More.", ""],
    ]);
    expect(withRows(second, [])).toBe(second);
  });

  it("must be marked", () => {
    expect(() => withRows("# Performance\n", [])).toThrow("<!-- bench -->");
  });
});
