import { afterEach, describe, expect, it } from "vitest";
import type { Executor } from "../../src/engine/ports/executor.ts";
import type { Step } from "../../src/machine/decide/step.ts";
import { cancellation } from "../support/cancellation.ts";
import { witness } from "./backend.ts";

/** What an executor has to be prepared for, so that the suite can ask something of it. */
export type Scenario =
  /** Every step says `<goto>NEXT</goto>`, with its agent's attribute `item` before it. */
  | "answers"
  /** Every step begins, and then is silent for a minute at least. */
  | "hangs"
  /** No step succeeds. */
  | "fails";

/** An executor under test. */
export interface ExecutorCase {
  readonly executor: Executor;
  /** A step that it can take, of an agent with this attribute. */
  readonly step: (item: string) => Step;
  /** Resolves when a hanging step has started. */
  readonly hasStarted: (seen: ReturnType<typeof witness>) => Promise<void>;
  close(): Promise<void>;
}

/** What every Executor promises. A new one is done when this suite is green for it. */
export function describeExecutor(
  name: string,
  open: (scenario: Scenario) => Promise<ExecutorCase>,
): void {
  describe(`${name} as an Executor`, () => {
    const opened: ExecutorCase[] = [];
    const start = async (scenario: Scenario): Promise<ExecutorCase> => {
      const made = await open(scenario);
      opened.push(made);
      return made;
    };
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((made) => made.close()));
    });

    const execute = ({ executor, step }: ExecutorCase, item = "x") => {
      const { listener, recorder } = witness();
      return executor.execute(step(item), cancellation(), listener, recorder);
    };

    it("returns the output with its tag", async () => {
      const outcome = await execute(await start("answers"));

      expect(outcome).toMatchObject({
        kind: "output",
        spoke: true,
        capped: false,
        exitCode: 0,
        reading: { count: 1, elements: [{ tag: "goto", content: "NEXT" }] },
      });
      expect(outcome.durationMs).toBeGreaterThanOrEqual(0);
    });

    it("keeps concurrent steps separate", async () => {
      const { executor, step } = await start("answers");
      const texts = await Promise.all(
        ["one", "two", "three"].map(async (item) => {
          const { calls, listener, recorder } = witness();
          await executor.execute(step(item), cancellation(), listener, recorder);
          return calls.filter((what) => /^(message|output)/.test(what)).join(" ");
        }),
      );

      expect(texts.map((text) => /one|two|three/.exec(text)?.[0])).toEqual(["one", "two", "three"]);
    });

    it("returns a failure as a value with a message", async () => {
      const outcome = await execute(await start("fails"));

      expect(outcome.kind).toBe("failure");
      expect(outcome.kind === "failure" && outcome.message).toMatch(/\S[.:\n]/);
    });

    it.each(["interruptNow", "killNow"] as const)(
      "ends as cancelled soon after %s",
      async (how) => {
        const { executor, step, hasStarted } = await start("hangs");
        const asked = cancellation();
        const seen = witness();

        const outcome = executor.execute(step("x"), asked, seen.listener, seen.recorder);
        await hasStarted(seen);
        asked[how]();

        expect(await outcome).toMatchObject({ kind: "failure", class: "cancelled" });
      },
    );

    it("ends quickly when it was cancelled before the start", async () => {
      const { executor, step } = await start("hangs");
      const asked = cancellation();
      asked.interruptNow();
      const { listener, recorder } = witness();

      const outcome = await executor.execute(step("x"), asked, listener, recorder);

      expect(outcome).toMatchObject({ kind: "failure", class: "cancelled" });
    });

    it("reports nothing after the end of a step", async () => {
      const made = await start("answers");
      const { calls, listener, recorder } = witness();

      await made.executor.execute(made.step("x"), cancellation(), listener, recorder);
      const count = calls.length;
      await new Promise((resolve) => setImmediate(resolve));

      expect(calls).toHaveLength(count);
    });
  });
}
