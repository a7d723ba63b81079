import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseStateFile } from "../../../src/language/workflow/files/parse-state-file.ts";
import { decide } from "../../../src/machine/decide/decide.ts";
import { failScript } from "../../../src/machine/decide/decide-failure.ts";
import type { Step } from "../../../src/machine/decide/step.ts";
import { READY } from "../../../src/machine/model/activity.ts";
import { failure as why } from "../../../src/machine/model/failure.ts";
import { endRun } from "../../../src/machine/moves/stop.ts";
import { recover } from "../../../src/machine/steps/recover.ts";
import { agent, waiting } from "../../support/agents.ts";
import { failure, output, step } from "../../support/outcomes.ts";
import { NOON, RunDriver } from "../../support/run-driver.ts";
import { run } from "../../support/runs.ts";

const LOST = { folders: new Map(), workflows: new Map(), lostSession: "fail" } as const;
const BROKEN = failure(why("deterministic", "BUILD.sh failed with exit code 2."));

/** A step of BUILD.sh with this directive, after so many retries. */
function script(directive: string, retries = 0): Step {
  const names = ["A.md", "BUILD.sh", "FIX.md"];
  const file = parseStateFile("BUILD.sh", directive === "" ? "" : `# raymond: ${directive}`);
  return step("", { file, names, agent: agent({ state: "BUILD.sh", retries }) });
}

describe("a script that fails", () => {
  it("is fatal without a directive, as ever", () => {
    expect(decide(script(""), BROKEN, LOST)).toMatchObject({
      kind: "fail",
      failure: why("deterministic", "BUILD.sh failed with exit code 2."),
    });
  });

  it("is retried as its directive says, with doubling delays, then fatal", () => {
    const decisions = [0, 1, 2, 3].map((retries) =>
      decide(script("retries=3 backoff=10s", retries), BROKEN, LOST),
    );

    expect(decisions).toMatchObject([
      { kind: "retry", failure: { class: "crash" }, delayMs: 10_000 },
      { kind: "retry", delayMs: 20_000 },
      { kind: "retry", delayMs: 40_000 },
      { kind: "fail" },
    ]);
  });

  it("goes to the state that on_error names, after the retries, with the error", () => {
    expect(decide(script("on_error=FIX"), BROKEN, LOST)).toEqual({
      kind: "divert",
      target: "FIX.md",
      problem: "BUILD.sh failed with exit code 2.",
    });
    expect(decide(script("retries=1 on_error=FIX"), BROKEN, LOST)).toMatchObject({ kind: "retry" });
    expect(decide(script("retries=1 on_error=FIX", 1), BROKEN, LOST)).toMatchObject({
      kind: "divert",
    });
  });

  it("is retried three times without a directive if it was killed from outside", () => {
    const killed = failure(why("crash", "BUILD.sh was ended by SIGKILL."));
    const decisions = [0, 1, 2, 3].map((retries) => decide(script("", retries), killed, LOST));

    expect(decisions).toMatchObject([
      { kind: "retry", failure: { class: "crash" }, delayMs: null },
      { kind: "retry" },
      { kind: "retry" },
      {
        kind: "fail",
        failure: { message: expect.stringContaining("Tried 4 times.") as string },
      },
    ]);
    expect(decide(script("on_error=FIX", 3), killed, LOST)).toMatchObject({ kind: "divert" });
  });

  it("counts an output without a valid transition as a failure like any other", () => {
    const nothing = output("no tag at all", { session: null });

    expect(decide(script("retries=1"), nothing, LOST)).toMatchObject({ kind: "retry" });
    expect(decide(script("on_error=FIX"), nothing, LOST)).toMatchObject({
      kind: "divert",
      target: "FIX.md",
    });
    expect(decide(script(""), nothing, LOST)).toMatchObject({
      kind: "fail",
      failure: { hint: expect.stringContaining("exactly one tag for the next state") as string },
    });
  });

  it("fails with both problems if the on_error state was deleted in the meantime", () => {
    expect(decide(script("on_error=GONE"), BROKEN, LOST)).toMatchObject({
      kind: "fail",
      failure: {
        message: expect.stringMatching(
          /exit code 2\. Invalid on_error \(.*:1:12\): .*"GONE"/,
        ) as string,
      },
    });
  });

  it("throws for a prompt", () => {
    expect(() => failScript(step("Do it."), "x", null)).toThrow("START.md is not a script");
  });

  it("is none when the run was interrupted: neither repeated nor diverted", () => {
    expect(decide(script("retries=3 on_error=FIX"), failure("cancelled"), LOST)).toEqual({
      kind: "cancelled",
    });
  });

  it("law: pauses never shrink, never pass an hour but by the author's own word, and are finite", () => {
    const anyCase = fc.record({
      backoff: fc.nat({ max: 100_000 }),
      retries: fc.nat({ max: 997 }),
    });
    fc.assert(
      fc.property(anyCase, ({ backoff, retries }) => {
        const pause = (n: number): number => {
          const decision = decide(
            script(`retries=999 backoff=${String(backoff)}s`, n),
            BROKEN,
            LOST,
          );
          return decision.kind === "retry" ? (decision.delayMs ?? -1) : -1;
        };

        expect(pause(0)).toBe(backoff * 1_000);
        expect(pause(retries + 1)).toBeGreaterThanOrEqual(pause(retries));
        expect(pause(retries)).toBeLessThanOrEqual(Math.max(3_600_000, backoff * 1_000));
      }),
    );
  });
});

describe("an agent whose script has failed", () => {
  const at = (changes = {}) => run({ agents: [agent({ state: "BUILD.sh", ...changes })] });
  const divert = { kind: "divert", target: "FIX.md", problem: "It broke." } as const;
  const retry = {
    kind: "retry",
    failure: why("crash", "It broke."),
    delayMs: 40_000,
  } as const;

  it("waits exactly for the configured delay, and a crash keeps the count", () => {
    const driven = new RunDriver(at({ pendingResult: "in" })).start().end(BROKEN, retry);

    expect(driven.run.agents[0]).toMatchObject({
      activity: { ...waiting(NOON + 40_000), since: NOON },
      retries: 1,
      pendingResult: "in",
      session: { mode: "resume", id: "s1" },
    });
    expect(recover(driven.run, {}).agents[0]).toMatchObject({ activity: READY, retries: 1 });
  });

  it("enters the on_error state like a goto, with the error as its payload", () => {
    const stack = [{ session: { mode: "resume", id: "s0" }, returnTo: "BACK.md" }] as const;
    const before = at({ stack, retries: 3, pendingResult: "in", attributes: { item: "7" } });

    const driven = new RunDriver(before).start().end(BROKEN, divert);

    expect(driven.run).toMatchObject({
      steps: 1,
      stopReason: null,
      agents: [
        {
          state: "FIX.md",
          activity: READY,
          starts: 0,
          retries: 0,
          pendingResult: "It broke.",
          session: { mode: "resume", id: "s1" },
          attributes: { item: "7" },
          stack,
        },
      ],
    });
    expect(driven.events.at(-1)).toEqual({
      type: "agent.diverted",
      agent: "main",
      from: "BUILD.sh",
      to: "FIX.md",
      by: "on_error",
      problem: "It broke.",
    });
    expect(endRun(driven.run)[0].status).toBe("running");
  });
});
