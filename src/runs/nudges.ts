import type { Control } from "../engine/engine.ts";
import type { Wish } from "../ports/wish.ts";
import { takeWishes } from "./wishes.ts";

type Nudges = Pick<Control, (typeof NUDGES)[number]>;

/** A control of a run that is told wishes. */
export interface Nudging {
  readonly control: Nudges;
  readonly hear: (wish: Wish) => void;
}

/** Whether a control hears all that can be wished of a run. */
export function hasNudges(
  control: Partial<Control> | undefined,
): control is Partial<Control> & Nudges {
  return control !== undefined && NUDGES.every((name) => control[name] !== undefined);
}

const NUDGES = ["onRetryNow", "onWake", "onAnswer", "onVisit", "onStopAfterSteps"] as const;

/** Tells whoever drives a run what is wished of it, but that its steps are broken off. */
export function nudging(): Nudging {
  const hurried = new Set<() => void>();
  const stopped = new Set<() => void>();
  const told = { answers: new Set<() => void>(), openings: new Set<() => void>() };
  const woken = new Set<Parameters<Control["onWake"]>[0]>();
  return {
    control: {
      onRetryNow: (listener) => void hurried.add(listener),
      onAnswer: (listener) => void told.answers.add(listener),
      onVisit: (listener) => void told.openings.add(listener),
      onStopAfterSteps: (listener) => void stopped.add(listener),
      onWake: (listener) => void woken.add(listener),
    },
    hear: (wish) => {
      if ("look" in wish) for (const listener of told[wish.look]) listener();
      else if ("retry" in wish) for (const listener of hurried) listener();
      else if ("agent" in wish) for (const listener of woken) listener(wish.agent);
      else if (wish.stop === "after-steps") for (const listener of stopped) listener();
    },
  };
}

/**
 * What the signal of another process means: what lies among its wishes, and to
 * try again now where nothing lies there. A wish that a dead raymond was told of
 * counts as well.
 */
export function hearNudges(wishes: string, onSignal: (listener: () => void) => void): Nudges {
  const { control, hear: tell } = nudging();
  const hear = async (): Promise<number> => {
    const found = await takeWishes(wishes).catch(() => []);
    for (const wish of found) tell(wish);
    return found.length;
  };
  onSignal(() => {
    void hear().then((heard) => {
      if (heard === 0) tell({ retry: "now" });
    });
  });
  return {
    ...control,
    onWake: (listener) => {
      control.onWake(listener);
      void hear();
    },
  };
}
