import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { printDot } from "../../../src/analysis/graph/dot.ts";
import type { Graph } from "../../../src/analysis/graph/graph.ts";
import { graphOf } from "../../../src/analysis/graph/graph-of.ts";
import { boxesOf } from "../../../src/analysis/graph/layout.ts";
import { printMermaid } from "../../../src/analysis/graph/mermaid.ts";
import { printSvg } from "../../../src/analysis/graph/svg.ts";
import { layOut } from "../../../src/inspect/layout.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { outlineOf, promptWith } from "../../support/workflow/outlines.ts";

const svgOf = async (graph: Graph) => {
  const boxes = boxesOf(graph);
  return printSvg(graph, boxes, await layOut(boxes), "flow");
};

const GRAPH = graphOf(
  outlineOf({
    "START.md": promptWith("tag: goto, target: START", "tag: goto, target: B", "tag: result"),
    "B.sh": "echo '<fork>START</fork><join>B</join>'",
  }),
);

describe("a picture as text", () => {
  it("is a flowchart for Mermaid", () => {
    expect(printMermaid(GRAPH).split("\n").slice(0, 9)).toEqual([
      "flowchart TD",
      '  n0("START"):::is-prompt',
      '  n1["B"]:::is-script',
      '  n2(("end")):::is-end',
      '  n0 -->|"goto"| n0',
      '  n0 -->|"goto"| n1',
      '  n0 -->|"result"| n2',
      '  n0 -.->|"result"| n1',
      '  n1 ==>|"fork"| n0',
    ]);
  });

  it("is a digraph for Graphviz", () => {
    expect(printDot(GRAPH)).toContain('  "START.md" -> "B.sh" [label="goto", ');
    expect(printDot(GRAPH)).toContain('"B.sh" [label="B", shape=box');
  });

  it("is SVG, with all that there is in it and a legend of that alone", async () => {
    const svg = await svgOf(GRAPH);

    for (const word of [">START<", ">B<", ">goto<", ">fork<", ">their results<", ">prompt<"]) {
      expect(svg).toContain(word);
    }
    expect(svg).not.toContain(">gate<");
    expect(svg).not.toMatch(/NaN|undefined|<script/);
  });

  it("escapes any names of a workflow", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary", maxLength: 30 }), async (label) => {
        const [node, ...others] = GRAPH.nodes;
        if (node === undefined) throw new Error("an empty picture");
        const graph = { ...GRAPH, nodes: [{ ...node, label, notes: [label] }, ...others] };

        const markup = /<\/?(?:svg|title|rect|g|path|polygon|circle|text)\b[^<>]*>/g;
        const text = (await svgOf(graph)).replace(markup, "").replace(/&(?:amp|lt|gt);/g, "");
        expect(text).not.toMatch(/[<>&]/);
        expect(printMermaid(graph).split("\n")).toHaveLength(
          printMermaid(GRAPH).split("\n").length,
        );
        expect(printDot(graph).split("\n")).toHaveLength(printDot(GRAPH).split("\n").length);
      }),
      { numRuns: propertyRuns(30) },
    );
  });
});
