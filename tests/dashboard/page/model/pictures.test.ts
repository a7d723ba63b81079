import { describe, expect, it } from "vitest";
import type { Graph, Node } from "../../../../src/analysis/graph/graph.ts";
import { boxesOf } from "../../../../src/analysis/graph/layout.ts";
import { costCurve, totalsTable } from "../../../../src/dashboard/page/model/cost.ts";
import { marksOf, withoutRun } from "../../../../src/dashboard/page/model/graph-marks.ts";
import { agent } from "./samples.ts";

const NO_GRAPH: Graph = { nodes: [], edges: [] };
const NODE: Node = {
  ...{ id: "a", kind: "prompt", label: "WORK", state: "WORK.md", notes: ["opus"], entry: true },
  ...{ gate: false, reached: true, problem: null, visited: null },
};
const asks = { for: "answer", until: null } as const;

describe("the graph of a run", () => {
  it("marks the nodes of agents, the most urgent activity first", () => {
    const marks = marksOf(
      NO_GRAPH,
      [
        agent({}),
        agent({ agent: "main_1", does: "waiting", waits_for: asks }),
        agent({
          agent: "main_2",
          does: "waiting",
          waits_for: { ...asks, for: "join" },
          state: "WAIT.md",
        }),
        agent({ agent: "main_3", does: "ended", ended: true, state: "DONE.md" }),
        agent({ agent: "main_4", does: "ready", state: null }),
      ],
      [],
    );

    expect(Object.fromEntries(marks)).toEqual({
      "WORK.md": [
        { does: "asks", agents: ["main_1"] },
        { does: "busy", agents: ["main"] },
      ],
      "WAIT.md": [{ does: "waits", agents: ["main_2"] }],
    });
  });

  it("counts running, queued and stopped agents of a node separately", () => {
    const place = { for: "place", until: null } as const;
    const marks = marksOf(
      NO_GRAPH,
      [
        agent({ agent: "a" }),
        agent({ agent: "b", does: "waiting", waits_for: place }),
        agent({ agent: "c", does: "waiting", waits_for: place }),
        agent({ agent: "d", does: "stopped" }),
      ],
      [],
    );

    expect(marks.get("WORK.md")).toEqual([
      { does: "busy", agents: ["a"] },
      { does: "waits", agents: ["b", "c"] },
      { does: "stopped", agents: ["d"] },
    ]);
  });

  it("marks the question of an agent instead of the state after its answer", () => {
    const way = { kind: "way", labels: [], mentioned: false, also: [], times: null } as const;
    const question = (id: string, next: string) => ({
      nodes: [{ ...NODE, id, kind: "question", state: null } as const],
      edges: [
        { ...way, from: "ASK.md", to: id },
        { ...way, from: id, to: next },
      ],
    });
    const [first, second] = [question("q1", "A.md"), question("q2", "B.md")];
    const graph = {
      nodes: [...first.nodes, ...second.nodes],
      edges: [...first.edges, ...second.edges],
    };
    const asked = { agent: "main", state: "ASK.md", number: 3, question: "Which?", options: null };

    const marks = marksOf(
      graph,
      [agent({ does: "waiting", waits_for: asks, state: "B.md" })],
      [{ ...asked, until: null, answered: false }],
    );

    expect([...marks.keys()]).toEqual(["q2"]);
  });

  it("does not move while the run continues", () => {
    const edge = {
      from: "a",
      to: "a",
      kind: "way",
      labels: ["goto"],
      mentioned: false,
      also: [],
      times: null,
    } as const;
    const before: Graph = { nodes: [NODE], edges: [edge] };
    const visited = { visits: 3, durationMs: 20_000, costMicroUsd: 400_000 };
    const after: Graph = { nodes: [{ ...NODE, visited }], edges: [{ ...edge, times: 2 }] };

    expect(boxesOf(withoutRun(after))).toEqual(boxesOf(withoutRun(before)));
  });
});

describe("cost over time", () => {
  const size = { width: 100, height: 50 };
  const points = [
    { at: "2026-11-22T10:00:00Z", total_usd: 0 },
    { at: "2026-11-22T10:05:00Z", total_usd: 1 },
    { at: "2026-11-22T10:10:00Z", total_usd: 2 },
  ];

  it("is a step curve from the first point to the last", () => {
    const curve = costCurve({ over_time: points, budget_usd: null }, size);

    expect(curve).toMatchObject({ line: "M0,50H50V25H100V0", highestUsd: 2, budget: null });
  });

  it("shows the budget unless it is far above the curve", () => {
    expect(costCurve({ over_time: points, budget_usd: 4 }, size)?.budget).toBe(0);
    expect(costCurve({ over_time: points, budget_usd: 100 }, size)?.budget).toBeNull();
  });

  it("has no curve if nothing was spent", () => {
    expect(costCurve({ over_time: points.slice(0, 1), budget_usd: 4 }, size)).toBeNull();
    expect(costCurve({ over_time: [], budget_usd: null }, size)).toBeNull();
  });
});

it("usage is listed with the most expensive agent first, estimates included", () => {
  const tokens = { input: 900, output: 100, cache_read: 0, cache_write: 0 };
  const sums = { attempts: 2, failures: 0, duration_s: 65, tokens, estimated_usd: 0 };

  const totals = {
    cheap: { ...sums, cost_usd: 1 },
    main: { ...sums, cost_usd: 0, estimated_usd: 2 },
  };

  expect(totalsTable("Agent", totals as unknown as Parameters<typeof totalsTable>[1])).toEqual([
    ["Agent", "Attempts", "Time", "Tokens", "Cost"],
    ["main", "2", "1m 05s", "1k", "$2.00"],
    ["cheap", "2", "1m 05s", "1k", "$1.00"],
  ]);
});
