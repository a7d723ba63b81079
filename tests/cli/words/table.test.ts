import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fitTable, formatTable } from "../../../src/cli/words/table.ts";

const cell = fc.stringMatching(/^[a-z0-9]{1,6}$/);
const tables = fc.integer({ min: 1, max: 5 }).chain((columns) =>
  fc.record({
    alignments: fc.array(fc.constantFrom("left" as const, "right" as const), {
      minLength: columns,
      maxLength: columns,
    }),
    rows: fc.array(fc.array(cell, { minLength: columns, maxLength: columns })),
  }),
);

describe("a table", () => {
  it("aligns numbers right and names left, without trailing blanks", () => {
    const rows = [["name", "cost"], [], ["a", "1"], ["longer", "100.25"]];

    expect(formatTable(rows, ["left", "right"])).toEqual([
      "name      cost",
      "",
      "a            1",
      "longer  100.25",
    ]);
  });

  it("keeps every cell and aligns each column", () => {
    fc.assert(
      fc.property(tables, ({ rows, alignments }) => {
        const lines = formatTable(rows, alignments);
        expect(lines.map((line) => line.trim().split(/ +/))).toEqual(rows);
        for (const [column, alignment] of alignments.entries()) {
          const edges = lines.map((line, index) => {
            const cells = [...line.matchAll(/\S+/g)][column];
            const start = cells?.index ?? 0;
            return alignment === "left" ? start : start + (rows[index]?.[column] ?? "").length;
          });
          expect(new Set(edges).size).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

describe("a table that must fit", () => {
  const columns = [
    { alignment: "left" },
    { alignment: "right", expendable: 1 },
    { alignment: "left", least: 4 },
  ] as const;
  const rows = [
    ["name", "cost", "folder"],
    ["one", "$1", "/repo/workflows"],
  ];

  it("cuts texts at the start, and then drops columns", () => {
    expect(fitTable(rows, columns, null)).toEqual(formatTable(rows, ["left", "right", "left"]));
    expect(fitTable(rows, columns, 20)).toEqual(["name  cost  folder", "one     $1  …rkflows"]);
    expect(fitTable(rows, columns, 15)).toEqual(["name  folder", "one   …orkflows"]);
  });

  it("keeps the suffix of a text that is cut", () => {
    const marked = [{ alignment: "left", least: 6, mark: " (made up)" }] as const;
    const texts = [["/repo/workflows/coding (made up)"], ["/repo/workflows/coding"]];

    expect(fitTable(texts, marked, 20)).toEqual(["…ws/coding (made up)", "…po/workflows/coding"]);
    expect(fitTable(texts, marked, 3)).toEqual(["…ding (made up)", "…oding"]);
  });

  it("keeps the columns that identify rows, however narrow it is", () => {
    expect(fitTable(rows, columns, 3)).toEqual(["name  …der", "one   …ows"]);
  });
});
