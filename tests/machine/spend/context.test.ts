import { describe, expect, it } from "vitest";
import { parsePrompt } from "../../../src/language/workflow/front-matter.ts";
import { NO_SPEND } from "../../../src/machine/model/spend.ts";
import { contextProblem } from "../../../src/machine/spend/context.ts";
import { agent } from "../../support/agents.ts";
import { failure, output, step } from "../../support/outcomes.ts";
import { RunDriver } from "../../support/run-driver.ts";
import { run } from "../../support/runs.ts";

const file = (max: string) =>
  parsePrompt("START.md", `---\nmax_context: ${max}\non_context: B\n---\nDo it.`);
const holds = (tokens: number, window: number | null = 200_000) =>
  run({ contexts: { s1: { tokens, window } } });

describe("a state with max_context", () => {
  it.each([
    ["100k", 100_000, false],
    ["100k", 100_001, true],
    ["0.1M", 100_001, true],
    ["50%", 100_000, false],
    ["50%", 100_001, true],
  ])("of %s refuses one of %i tokens: %s", (max, tokens, refused) => {
    expect(contextProblem(holds(tokens), agent(), file(max)) !== null).toBe(refused);
  });

  it("counts the source of a branch", () => {
    const session = { mode: "branch", source: "s1", id: null } as const;

    expect(contextProblem(holds(101_000), agent({ session }), file("100k"))).toBe(
      "The conversation has 101k tokens. The limit of START.md is 100k (max_context).",
    );
  });

  it("admits fresh and unknown conversations, sent prompts and handed-over agents", () => {
    const fresh = { mode: "fresh", id: null } as const;
    const full = holds(150_000, null);

    expect(contextProblem(full, agent({ session: fresh }), file("1k"))).toBeNull();
    expect(contextProblem(full, agent(), file("70%"))).toBeNull();
    expect(contextProblem(run(), agent(), file("1k"))).toBeNull();
    expect(contextProblem(full, agent({ delivery: "reminder" }), file("1k"))).toBeNull();
    expect(contextProblem(full, agent({ wanted: "A.md" }), file("1k"))).toBeNull();
  });

  it("is not visited, and its successor has the payload that was meant", () => {
    const before = run({ agents: [agent({ pendingResult: "mine" })] });
    const driven = new RunDriver(before).start();
    driven.end(failure("deterministic", { exitCode: null }), {
      kind: "hand-over",
      target: "B.md",
      problem: "Too large.",
    });

    expect(driven.run).toMatchObject({ visits: { "START.md": 0 }, calls: { "START.md": 0 } });
    expect(driven.run.agents[0]).toMatchObject({
      state: "B.md",
      session: { mode: "resume", id: "s1" },
      pendingResult: "mine",
      wanted: "START.md",
    });
    expect(driven.events.at(-1)).toMatchObject({ type: "agent.diverted", by: "on_context" });
    const moved = driven.step({ tag: "goto", target: "START.md" });
    expect(moved.run.agents[0]).toMatchObject({ wanted: null, pendingResult: null });
  });

  it("is not visited if raymond died before the refusal", () => {
    const entered = run({
      agents: [agent({ starts: 1 })],
      visits: { "START.md": 1 },
    });
    const driven = new RunDriver(entered).start();
    driven.end(failure("deterministic", { exitCode: null }), {
      kind: "hand-over",
      target: "B.md",
      problem: "Too large.",
    });

    expect(driven.run.visits).toEqual({ "START.md": 0 });
    expect(driven.run.agents[0]).toMatchObject({ state: "B.md", starts: 0 });
  });

  it("stores the context of each step, and keeps a known window", () => {
    const context = { tokens: 70_000, window: null };
    const driven = new RunDriver(holds(10)).start();
    driven.end(output("x", { spend: { ...NO_SPEND, context } }), {
      kind: "move",
      transitions: [{ tag: "goto", target: "A.md" }],
      implied: false,
    });

    expect(driven.run.contexts).toEqual({ s1: { tokens: 70_000, window: 200_000 } });
    expect(driven.events).toContainEqual(expect.objectContaining({ type: "step.ended", context }));
  });
});

describe("max_context and on_context", () => {
  const parse = (...lines: readonly string[]) =>
    parsePrompt("START.md", `---\n${lines.join("\n")}\n---\nDo it.`);

  it("are read as tokens, or as a share of the window", () => {
    expect(file("120k").context?.limit).toEqual({ kind: "tokens", tokens: 120_000 });
    expect(file("5000").context?.limit).toEqual({ kind: "tokens", tokens: 5_000 });
    expect(file("70%").context?.limit).toEqual({ kind: "share", share: 0.7 });
    expect(step("Do it.").file).toMatchObject({ context: null });
  });

  it.each(["120 k", "120kb", "0", "-5", "101%", "0%", "big", "[1]", "120g"])(
    "are refused with their line where the size is %s",
    (max) => {
      expect(() => parse(`max_context: ${max}`, "on_context: B")).toThrow(
        /START\.md:2.*max_context must be a number of tokens/,
      );
    },
  );

  it("are nothing without each other", () => {
    expect(() => parse("max_context: 1k")).toThrow(/:2.*max_context requires on_con/);
    expect(() => parse("model: opus", "on_context: B")).toThrow(
      /:3.*on_context requires max_context/,
    );
    expect(() => parse("max_context: 1k", "on_context: a/b")).toThrow(/START\.md:3/);
    expect(() => parse("max_context: 1k", "on_context: []")).toThrow(/START\.md:3/);
  });

  it("may name a state that YAML reads as a number", () => {
    expect(parse("max_context: 1k", "on_context: 7").context?.target).toBe("7");
  });
});
