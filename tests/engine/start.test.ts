import { describe, expect, it } from "vitest";
import { promptExecutor } from "../../src/engine/executors/prompt.ts";
import { onlyBackend } from "../../src/engine/ports/backend.ts";
import { startRun } from "../../src/engine/start.ts";
import type { Event } from "../../src/machine/model/event.ts";
import { plainBackend } from "../support/client/plain-backend.ts";
import { loaded, world } from "../support/engine/worlds.ts";
import { settings } from "../support/runs.ts";
import { oneWorkflow } from "../support/workflow/workflows.ts";

const START = {
  id: "one",
  workflow: { kind: "folder", path: "/repo/workflow", entry: "START.md" },
  scopeDir: "/repo/workflow",
  launchDir: "/repo",
  at: 0,
  settings: settings(),
  backend: "plain",
  token: "t",
  input: null,
  attributes: {},
} as const;

const CALLING = "---\nallowed_transitions: [{ tag: call, target: B, return: A }]\n---\nDo it.";

/** A run of these files on a backend that can nothing but answer, and always says this. */
function plainRun(files: Readonly<Record<string, string>>, says: string, changes = {}) {
  const backend = plainBackend({ says });
  const made = world(files);
  const engine = {
    ...made.engine,
    backends: onlyBackend(backend),
    workflows: oneWorkflow({
      ...made.engine.workflows.scope(null),
      load: loaded((name) => files[name] ?? ""),
    }),
    executor: promptExecutor(onlyBackend(backend), made.clock.elapsed),
  };
  const start = { ...START, settings: settings(changes) };
  return { ...made, begin: () => startRun(start, engine, made.control) };
}

const of = (events: readonly Event[], type: Event["type"]) =>
  events.filter((event) => event.type === type);

describe("a run on a backend that can only answer", () => {
  it("completes without unsupported features, and counts its cost", async () => {
    const { begin } = plainRun({ "START.md": "Do it." }, "<result>done</result>");

    expect(await begin()).toMatchObject({
      status: "completed",
      results: { main: "done" },
      totals: { costMicroUsd: 10_000 },
    });
  });

  it("is rejected before any save if a rule requires unsupported features", async () => {
    const { begin, saves } = plainRun({ "START.md": "Do it.", "A.md": CALLING, "B.md": "x" }, "");

    await expect(begin()).rejects.toMatchObject({
      code: "workflow/beyond-backend",
      message: expect.stringMatching(
        /^\/repo\/workflow\/A\.md:2:\d+: <call> leads to B\.md in a branch .* "plain" cannot branch one\.$/,
      ) as string,
    });
    expect(saves).toEqual([]);
  });

  it("starts although a state that it may never enter is unreadable", async () => {
    const files = { "START.md": "Do it.", "A.md": "---\nnonsense: [\n---\n" };

    expect(await plainRun(files, "<result/>").begin()).toMatchObject({ status: "completed" });
  });

  it("fails permanently if a reply requires unsupported features, without further cost", async () => {
    const files = { "START.md": "Do it.", "A.md": "x", "B.md": "x" };
    const { begin, events } = plainRun(files, '<call return="A">B</call>');

    const end = await begin();

    expect(end).toMatchObject({ status: "failed", totals: { costMicroUsd: 10_000 } });
    expect(of(events, "agent.failed")).toMatchObject([
      {
        class: "deterministic",
        state: "START.md",
        problem: expect.stringContaining("<call>") as string,
      },
    ]);
  });

  it("reminds by sending everything again, and stops at the budget without a cap", async () => {
    const files = {
      "START.md": "---\nallowed_transitions: [{ tag: result }, { tag: reset }]\n---\nDo it.",
    };
    const { begin, events } = plainRun(files, "Nothing.", { budgetMicroUsd: 15_000 });

    expect(await begin()).toMatchObject({ status: "budget_exceeded" });
    expect(of(events, "agent.reminded")).toHaveLength(2);
  });
});
