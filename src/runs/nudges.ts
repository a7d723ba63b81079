import type { Control } from "../engine/engine.ts";
import { takeWishes } from "./wishes.ts";

type Nudges = Pick<Control, "onRetryNow" | "onWake" | "onAnswer" | "onVisit" | "onStopAfterSteps">;

/**
 * What the signal of another process means: what lies among its wishes, and to
 * try again now where nothing lies there. A wish that a dead raymond was told of
 * counts as well.
 */
export function hearNudges(wishes: string, onSignal: (listener: () => void) => void): Nudges {
  const hurried = new Set<() => void>();
  const stopped = new Set<() => void>();
  const told = { answers: new Set<() => void>(), openings: new Set<() => void>() };
  const woken = new Set<Parameters<Control["onWake"]>[0]>();
  const hear = async (): Promise<number> => {
    const found = await takeWishes(wishes).catch(() => []);
    for (const wish of found) {
      if ("look" in wish) for (const listener of told[wish.look]) listener();
      else if ("stop" in wish) for (const listener of stopped) listener();
      else for (const listener of woken) listener(wish.agent);
    }
    return found.length;
  };
  onSignal(() => {
    void hear().then((heard) => {
      if (heard === 0) for (const listener of hurried) listener();
    });
  });
  return {
    onRetryNow: (listener) => void hurried.add(listener),
    onAnswer: (listener) => void told.answers.add(listener),
    onVisit: (listener) => void told.openings.add(listener),
    onStopAfterSteps: (listener) => void stopped.add(listener),
    onWake: (listener) => {
      woken.add(listener);
      void hear();
    },
  };
}
