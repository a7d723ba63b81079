import { expect, it } from "vitest";
import type { Control } from "../../src/engine/engine.ts";
import { Shutdown } from "../../src/engine/shutdown.ts";
import { cancellation } from "../support/cancellation.ts";
import { SimulatedClock } from "../support/clock.ts";

function stopping() {
  const asked = cancellation();
  const never = () => undefined;
  const control: Control = {
    ...{
      interrupt: asked.interrupt,
      kill: asked.kill,
      attended: () => false,
      parksWhenIdle: () => false,
    },
    ...{ onRetryNow: never, onWake: never, onAnswer: never, onManualSession: never },
    ...{ onStopAfterSteps: never, onSetResult: never, onControlled: never },
  };
  const clock = new SimulatedClock();
  return { shutdown: new Shutdown(clock, control), asked };
}

const aborted = ({ budget, interrupt, kill }: ReturnType<Shutdown["of"]>) => [
  ...[budget.aborted, interrupt.aborted, kill.aborted],
];

it("forwards to a step what was signalled while no step was in flight", () => {
  const { shutdown, asked } = stopping();
  shutdown.of("script", "main");
  shutdown.release("main");
  const reason = { class: "budget", message: "used up", agent: null, state: null } as const;
  shutdown.begin(reason);
  const used = [aborted(shutdown.of("prompt", "main")), aborted(shutdown.of("script", "other"))];
  shutdown.release("main");
  shutdown.release("other");
  asked.interruptNow();
  const interrupted = [aborted(shutdown.of("prompt", "main"))];
  shutdown.release("main");
  asked.killNow();

  expect(used).toEqual([
    [true, false, false],
    [true, false, false],
  ]);
  expect(interrupted).toEqual([[true, true, false]]);
  expect(aborted(shutdown.of("script", "main"))).toEqual([true, true, true]);
  shutdown.end();
});

it("interrupts all steps in flight, also after one has ended", () => {
  const { shutdown, asked } = stopping();
  shutdown.of("script", "a");
  const second = shutdown.of("script", "b");
  shutdown.release("a");
  const third = shutdown.of("script", "c");

  asked.interruptNow();

  expect([second, third].map(({ interrupt }) => interrupt.aborted)).toEqual([true, true]);
});

it("interrupts the step of one agent only", () => {
  const { shutdown } = stopping();
  const [script, prompt] = [shutdown.of("script", "a"), shutdown.of("prompt", "b")];

  shutdown.interruptStep("a");

  expect([script.interrupt.aborted, prompt.interrupt.aborted]).toEqual([true, false]);
});
