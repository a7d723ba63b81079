import path from "node:path";
import { describe, expect, it } from "vitest";
import { lanesOf } from "../../src/console/format/lanes.ts";
import { loggedFailures } from "../../src/log/logged-failures.ts";
import { loggedQuestions } from "../../src/log/logged-questions.ts";
import type { LoggedStep } from "../../src/log/logged-steps.ts";
import { readSteps } from "../../src/log/logged-steps.ts";
import type { Event } from "../../src/machine/model/event.ts";
import { run } from "../support/runs.ts";
import { ended, logOf, NOON, runFolder, saveRun, started } from "../support/saved-runs.ts";

async function stepsOf(events: readonly Event[]): Promise<readonly LoggedStep[]> {
  const { id } = run();
  const dir = await saveRun(run(), logOf(events));
  const log = path.join(runFolder(dir, id), "events.jsonl");
  return readSteps(log, { matches: () => true, limit: 100, withActivity: false }).steps;
}

const NONE: ReadonlySet<number> = new Set();
const asked = (number: number): Event => ({
  ...{ type: "agent.asked", agent: "main", state: "ASK.md", number },
  ...{ question: "Ship it?", options: null, until: null },
});
const by = { user: "ann", host: null, via: "command" } as const;

describe("lanesOf", () => {
  it("returns the end of each process: success, failure, running, or unknown", async () => {
    const steps = await stepsOf([
      ...[started(1), ended(1)],
      ...[started(2), ended(2, { ok: false, failure: "crash" })],
      ...[started(3), started(4, { agent: "w1" })],
    ]);
    const lanes = lanesOf(steps, new Set([4]), NOON + 600_000);

    expect(lanes.map(({ agent, spans }) => [agent, spans.map(({ end }) => end)])).toEqual([
      ["main", ["ok", "failed", "cut-off"]],
      ["w1", ["running"]],
    ]);
    expect(lanes[1]?.spans[0]?.to).toBe(NOON + 600_000);
    expect(lanes[0]?.workedMs).toBe(120_000);
  });
});

describe("loggedQuestions", () => {
  it("returns a question that a resumed run has repeated once, with its answer", async () => {
    const answered: Event = {
      ...{ type: "agent.answered", agent: "main", state: "DO.md", number: 7 },
      ...{ answer: "yes", by, at: 5 },
    };
    const questions = loggedQuestions(
      await stepsOf([started(1), ended(1), asked(7), asked(7), answered]),
    );

    expect(questions).toMatchObject([
      {
        question: "Ship it?",
        askedAt: NOON + 120_000,
        end: { kind: "answered", answer: "yes", at: 5 },
      },
    ]);
  });

  it("returns open questions, and those that timed out", async () => {
    const late: Event = { type: "agent.unanswered", agent: "main", state: "NO.md", number: 1 };
    const questions = loggedQuestions(
      await stepsOf([started(1), ended(1), asked(1), late, asked(2)]),
    );

    expect(questions.map(({ end }) => end.kind)).toEqual(["unanswered", "open"]);
  });
});

describe("loggedFailures", () => {
  it("returns an attempt that was cut off, and no running one", async () => {
    const steps = await stepsOf([started(1), started(2, { agent: "w1" })]);

    expect(loggedFailures(steps, new Set([2]))).toMatchObject([
      { step: 1, class: "cut-off", next: null },
    ]);
  });

  it("returns a failed agent whose attempt succeeded", async () => {
    const failed: Event = {
      ...{ type: "agent.failed", agent: "main", state: "START.md", class: "deterministic" },
      ...{ problem: "No tag, three times.", hint: "Say one." },
    };
    const steps = await stepsOf([started(1), ended(1), failed]);

    expect(loggedFailures(steps, NONE)).toMatchObject([
      { class: "deterministic", problem: "No tag, three times.", hint: "Say one.", next: "failed" },
    ]);
  });

  it("ignores successful steps", async () => {
    expect(loggedFailures(await stepsOf([started(1), ended(1)]), NONE)).toEqual([]);
  });
});
