import { describe, expect, it } from "vitest";
import {
  contextsJson,
  formatContexts,
  formatCost,
} from "../../../../src/cli/commands/inspect/cost.ts";
import { contextsOf, sumsByAgent } from "../../../../src/inspect/costs.ts";
import { costJson } from "../../../../src/inspect/json/report-json.ts";
import { encodeEvent, eventLine } from "../../../../src/log/codec/event-json.ts";
import { recordResult } from "../../../../src/machine/moves/results.ts";
import { agent } from "../../../support/agents.ts";
import { readHistory } from "../../../support/history.ts";
import { logLine } from "../../../support/log-line.ts";
import { run, totals } from "../../../support/runs.ts";

const tokens = { input: 1_000, output: 200, cacheRead: 50_000, cacheWrite: 3_000 };
const cheap = totals({ attempts: 1, costMicroUsd: 20_000, tokens, durationMs: 2_000 });
const dear = totals({
  attempts: 3,
  costMicroUsd: 1_500_000,
  estimatedMicroUsd: 250_000,
  tokens,
  durationMs: 61_000,
});
const total = totals({
  attempts: 5,
  costMicroUsd: 1_520_000,
  estimatedMicroUsd: 250_000,
  tokens: { input: 2_000, output: 400, cacheRead: 100_000, cacheWrite: 6_000 },
  durationMs: 64_000,
});

describe("raymond cost", () => {
  it("shows agents, states and models, the most expensive first, with the total of the run", () => {
    const lines = formatCost({
      run: run({
        steps: 4,
        totals: total,
        agents: [agent({ sums: cheap }), agent({ id: "main_worker1", sums: dear })],
        sums: {
          states: { "A.md": dear, "B.md": cheap },
          models: { sonnet: dear, opus: cheap },
          backends: {},
        },
      }),
      status: "completed",
      history: null,
    });

    expect(lines.slice(0, 7)).toEqual([
      "wf-2026-11-21-k3x9qd (completed): $1.77 of a budget of $10.00, 4 steps",
      "",
      "agent         attempts     in  out  cache read  cache write  cached     cost  estimated    time",
      "main_worker1         3  1,000  200      50,000        3,000    93 %    $1.50      $0.25  1m 01s",
      "main                 1  1,000  200      50,000        3,000    93 %  $0.0200          –      2s",
      "(others)             1      0    0           0            0       –    $0.00          –      1s",
      "total                5  2,000  400     100,000        6,000    93 %    $1.52      $0.25  1m 04s",
    ]);
    expect(lines.map((line) => line.split(" ")[0])).toEqual([
      "wf-2026-11-21-k3x9qd",
      ...["", "agent", "main_worker1", "main", "(others)", "total"],
      ...["", "state", "A.md", "B.md", "(others)", "total"],
      ...["", "model", "sonnet", "opus", "(scripts)", "total"],
    ]);
    expect(new Set(lines.slice(2).map((line) => line.length))).toEqual(
      new Set([0, lines[2]?.length]),
    );
  });

  it("shows coding agents if the run has used several", () => {
    const script = totals({ attempts: 1, durationMs: 1_000 });
    const view = {
      run: run({
        totals: total,
        sums: {
          states: { "A.md": dear, "B.md": cheap, "C.sh": script },
          models: { sonnet: dear, gpt: cheap },
          backends: { claude: dear, codex: cheap },
        },
      }),
      status: "completed",
      history: null,
    } as const;

    const lines = formatCost(view).map((line) => line.replaceAll(/ +/g, " "));

    expect(lines.slice(lines.findIndex((line) => line.startsWith("coding agent")))).toEqual([
      "coding agent attempts in out cache read cache write cached cost estimated time",
      "claude 3 1,000 200 50,000 3,000 93 % $1.50 $0.25 1m 01s",
      "codex 1 1,000 200 50,000 3,000 93 % $0.0200 – 2s",
      "(scripts) 1 0 0 0 0 – $0.00 – 1s",
      "total 5 2,000 400 100,000 6,000 93 % $1.52 $0.25 1m 04s",
    ]);
    expect(costJson(view).sums.backends).toMatchObject({
      claude: { attempts: 3, cost_usd: 1.5, estimated_usd: 0.25 },
      codex: { attempts: 1, cost_usd: 0.02, estimated_usd: 0 },
    });
  });

  it("reports the share of the input that was read from the cache, with --json by state", () => {
    const fresh = totals({ attempts: 1, tokens: { ...tokens, cacheRead: 0 } });
    const view = {
      run: run({
        totals: total,
        sums: {
          states: { "A.md": dear, "B.md": fresh, "C.sh": totals({ attempts: 1 }) },
          models: {},
          backends: {},
        },
      }),
      status: "completed",
      history: null,
    } as const;

    const { totals: all, sums } = costJson(view);

    expect(all.cache_share).toBeCloseTo(100 / 108);
    expect(sums.states["A.md"]?.cache_share).toBeCloseTo(50 / 54);
    expect(sums.states["B.md"]?.cache_share).toBe(0);
    expect(sums.states["C.sh"]).toMatchObject({ attempts: 1, cache_share: null });
  });

  it("takes the cost of ended agents from the log, and of living ones from the state file", () => {
    const ended = (id: string, costMicroUsd: number) =>
      eventLine(
        encodeEvent({
          ...{ type: "step.ended", agent: id, state: "A.md", kind: "prompt", process: 1, ok: true },
          ...{ failure: null, durationMs: 1_000, costMicroUsd, estimatedMicroUsd: 5, tokens },
          ...{ totalMicroUsd: 0, model: null, version: null, denials: [], context: null },
        }),
        1,
        0,
      );
    const log = [ended("main", 1), ended("w", 20), "torn", ended("w", 3)].join("\n");
    const living = run({ agents: [agent({ sums: dear }), agent({ id: "new" })] });
    const history = readHistory(log);

    const of = sumsByAgent({ run: living, history });

    expect(of).toEqual({
      main: dear,
      w: {
        attempts: 2,
        costMicroUsd: 23,
        estimatedMicroUsd: 10,
        tokens: { input: 2_000, output: 400, cacheRead: 100_000, cacheWrite: 6_000 },
        durationMs: 2_000,
      },
    });
    expect(sumsByAgent({ run: living, history: null })).toEqual({ main: dear });

    const forked = run({ totals: dear, agents: [agent()], forkCounters: { main: 1 } });
    const completed = recordResult(forked, "main", "done");
    expect(Object.keys(sumsByAgent({ run: completed, history }))).toEqual(["main", "w"]);
  });

  it("does not read the log of a run with one agent", () => {
    const alone = run({ totals: dear, agents: [] });
    const inspection = {
      run: alone,
      get history(): never {
        throw new Error("It was read.");
      },
    };

    expect(sumsByAgent(inspection)).toEqual({ main: dear });
  });

  it("says that the cost of a simulated run is made up, and that there is no budget", () => {
    const { settings } = run();
    const lines = formatCost({
      run: run({ backend: "simulation", settings: { ...settings, budgetMicroUsd: null } }),
      status: "failed",
      history: null,
    });

    expect(lines[0]).toContain("of no budget");
    expect(lines[1]).toBe("This run is simulated: its costs are made up.");
  });

  it("makes control characters in names visible", () => {
    const lines = formatCost({
      run: run({
        totals: cheap,
        sums: { states: {}, models: { "a\u001b[31m": cheap }, backends: {} },
      }),
      status: "completed",
      history: null,
    });

    expect(lines.join("\n")).not.toContain("\u001b");
  });
});

describe("raymond cost --context", () => {
  const started = (process: number, session_id: string, of = "main") =>
    logLine("step.started", { agent: of, state: "A.md", process, session_id, cwd: "/repo" });
  const ended = (
    process: number,
    context: object | null,
    of = "main",
    client_version: string | null = "2.1.330",
  ) => logLine("step.ended", { agent: of, state: "A.md", process, context, client_version });
  const log = [
    started(1, "s1", "main_w1"),
    ended(1, { tokens: 9_000, window: null }, "main_w1", null),
    started(2, "s2"),
    ended(2, { tokens: 500, window: 200_000 }),
    started(3, "s2"),
    ended(3, { tokens: 1_000, window: 200_000 }),
    started(4, "s2"),
    ended(4, null),
    started(5, "s3"),
    ended(5, null),
  ];
  const history = readHistory(log.join("\n"));

  it("lists the last known size of each conversation, the fullest first; the state file takes precedence", () => {
    const living = run({
      agents: [agent({ session: { mode: "resume", id: "s4" } })],
      contexts: { s4: { tokens: 46_000, window: 200_000 }, gone: { tokens: 1, window: null } },
    });

    const contexts = contextsOf({ run: living, history });

    expect(formatContexts(contexts)).toEqual([
      "",
      "conversation  agent    in context   window  full",
      "s4            main         46,000  200,000  23 %",
      "s1            main_w1       9,000        –     –",
      "s2            main          1,000  200,000   1 %",
    ]);
    expect(contextsJson(contexts)[1]).toEqual({
      ...{ agent: "main_w1", session_id: "s1", tokens: 9_000, window: null },
    });
  });

  it("says that no conversation has reported its size", () => {
    expect(formatContexts(contextsOf({ run: run(), history: null }))).toEqual([
      "",
      "No conversation has reported its size yet.",
    ]);
  });
});
