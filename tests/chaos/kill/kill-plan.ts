import { SCENARIOS, type Scenario } from "../scenarios.ts";

/** What is killed: raymond, its process group, all its processes, or only a client or a script. */
export type Target = "raymond" | "group" | "everything" | "client" | "script";

/** A planned SIGKILL. */
export interface Kill {
  readonly target: Target;
  /** Delay since the start of raymond, or since its first output. */
  readonly from: "start" | "first output";
  readonly ms: number;
}

export interface KillPlan {
  readonly scenario: Scenario;
  readonly kills: readonly Kill[];
}

/** The plan of a seed, the same on every machine. */
export function killPlan(seed: number): KillPlan {
  const random = mulberry32(seed);
  const below = (n: number) => Math.floor(random() * n);
  const pick = <T>(all: readonly [T, ...T[]]) => all[below(all.length)] ?? all[0];
  const [first, ...others] = SCENARIOS;
  if (first === undefined) throw new Error("There is no scenario");
  const scenario = pick([first, ...others]);
  const kills = Array.from({ length: 2 + below(MAX_KILLS - 1) }, (): Kill => {
    const target = pick<Target>(["raymond", "raymond", "group", "everything", "client", "script"]);
    // Prefer kills after the first output: there is less to break before.
    const from = pick(["start", "first output", "first output"] as const);
    return { target, from, ms: below(LATEST_MS + 1) };
  });
  return { scenario, kills };
}

const MAX_KILLS = 5;
const LATEST_MS = 300;

/** A random number generator for [0, 1). */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
