import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  NO_STEPS,
  type StepBook,
  withEvents,
  withPage,
} from "../../../../src/dashboard/page/model/step-book.ts";
import type { LoggedJson, TimelineJson } from "../../../../src/inspect/json/shapes.ts";
import { ended, logged, started, step } from "./samples.ts";

const moved = logged(5, "agent.moved", { agent: "main", from: "WORK.md", to: "NEXT.md" });

function page(...steps: TimelineJson["steps"]): TimelineJson {
  return { workflow_id: "r", steps, unreadable: 0, commands: [] };
}

describe("the loaded steps of a run", () => {
  it("start, progress and end with live events", () => {
    const running = withEvents(NO_STEPS, [
      started(1, 1),
      logged(2, "step.message", { agent: "main", state: "WORK.md", text: "I look" }),
      logged(3, "step.tool", { agent: "main", state: "WORK.md", tool: "Bash", argument: "ls" }),
    ]);
    expect(running.last).toBe(1);
    expect(running.steps.get(1)).toMatchObject({ running: true, ended: null });
    expect(running.current.get("main")?.events.map(({ seq }) => seq)).toEqual([2, 3]);

    const over = withEvents(running, [ended(4, 1), moved]);
    expect(over.steps.get(1)).toMatchObject({
      running: false,
      ended: { seq: 4 },
      after: [{ seq: 5 }],
    });
  });

  it("are assigned to their agents", () => {
    const book = withEvents(NO_STEPS, [
      started(1, 1),
      started(2, 2, "main_1"),
      ended(3, 2, "main_1"),
    ]);

    expect(book.steps.get(1)?.running).toBe(true);
    expect(book.steps.get(2)?.running).toBe(false);
  });

  it("keep newer events when an older page is loaded", () => {
    const book = withEvents(NO_STEPS, [started(1, 1), ended(4, 1), moved]);

    const after = withPage(book, page(step({ step: 1, running: true })));

    expect(after.steps.get(1)).toEqual(book.steps.get(1));
  });

  it("stop running when the run ends", () => {
    const book = withEvents(NO_STEPS, [started(1, 1), logged(2, "run.ended")]);

    expect(book.steps.get(1)?.running).toBe(false);
  });

  it("are the same from a page, from events, or from both", () => {
    const events: readonly LoggedJson[] = [started(1, 1), ended(4, 1), moved];
    const full = page(
      step({ step: 1, started: started(1, 1), ended: ended(4, 1), after: [moved] }),
    );
    const steps = [
      (book: StepBook) => withPage(book, full),
      (book: StepBook) => withEvents(book, events),
    ];
    const expected = withEvents(NO_STEPS, events).steps;
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 4 }), (order) => {
        expect(order.reduce((book, next) => next(book), NO_STEPS).steps).toEqual(expected);
      }),
    );
  });
});
