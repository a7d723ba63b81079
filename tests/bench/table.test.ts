import { describe, expect, it } from "vitest";
import { sampleOf } from "./measure.ts";
import { figureOf, peerRow, type Row, rowsJson, tableText } from "./table.ts";

const ratio: Row = {
  ...{ what: "300 script steps", floor: sampleOf([100, 200, 100]), unit: "ms", target: 0.9 },
  raymond: sampleOf([90, 200, 80]),
};
const figure: Row = {
  ...{ what: "alive", floor: null, raymond: sampleOf([71]), unit: "MiB", target: 70 },
};

describe("the table of the benchmark", () => {
  it("judges a ratio to a baseline, and a figure without a baseline by its own value", () => {
    expect(figureOf(ratio)).toBe(0.9);
    expect(figureOf(figure)).toBe(71);
    expect(tableText([ratio, figure, { ...figure, target: null }]).split("\n")).toEqual([
      "| what             |            floor |              raymond | ratio |   target |      |",
      "| ---------------- | ---------------: | -------------------: | ----: | -------: | ---: |",
      "| 300 script steps | 100 ms (100–200) | 90.0 ms (80.0–200.0) |  0.90 |    ≤ 0.9 |   ok |",
      "| alive            |                – |             71.0 MiB |     – | ≤ 70 MiB | over |",
      "| alive            |                – |             71.0 MiB |     – |          |      |",
    ]);
  });

  it("has a row for another runner only if it was measured", () => {
    const times = (ms: number) => ({ wall: sampleOf([ms]), cpu: sampleOf([Number.NaN]) });

    expect(peerRow("steps", { raymond: times(30) }, 1.5)).toEqual([]);
    const [row] = peerRow("steps", { raymond: times(30), peer: times(20) }, 1.5);
    expect(row && figureOf(row)).toBe(1.5);
  });

  it("is saved with the figures of each row", () => {
    expect(JSON.parse(rowsJson([ratio, figure]))).toMatchObject({
      rows: [
        { what: "300 script steps", floor: 100, raymond: 90, ratio: 0.9, target: 0.9 },
        { what: "alive", floor: null, raymond: 71, ratio: null, target: 70 },
      ],
    });
  });
});
