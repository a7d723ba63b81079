import { SCENARIOS, type Scenario } from "./scenarios.ts";

/** Who is killed: raymond alone, with its process group, with all that it has started; or one of those alone. */
export type Target = "raymond" | "group" | "everything" | "client" | "script";

/** One SIGKILL to come. */
export interface Blow {
  readonly target: Target;
  /** Counted from the start of a raymond, or from when it first says something. */
  readonly from: "start" | "first word";
  readonly ms: number;
}

/** What one round does. */
export interface KillPlan {
  readonly scenario: Scenario;
  readonly blows: readonly Blow[];
}

/** The same plan for the same seed, on every machine. */
export function killPlan(seed: number): KillPlan {
  const random = mulberry32(seed);
  const below = (n: number) => Math.floor(random() * n);
  const pick = <T>(all: readonly [T, ...T[]]) => all[below(all.length)] ?? all[0];
  const [first, ...others] = SCENARIOS;
  if (first === undefined) throw new Error("There is no scenario");
  const scenario = pick([first, ...others]);
  const blows = Array.from({ length: 2 + below(MOST_BLOWS - 1) }, (): Blow => {
    const target = pick<Target>(["raymond", "raymond", "group", "everything", "client", "script"]);
    // Half of a short life is spent before its first word: there is less to break in it.
    const from = pick(["start", "first word", "first word"] as const);
    return { target, from, ms: below(LATEST_MS + 1) };
  });
  return { scenario, blows };
}

const MOST_BLOWS = 5;
const LATEST_MS = 300;

/** A small generator of numbers in [0, 1), good enough to choose by. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
