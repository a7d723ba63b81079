export interface Scale {
  /** Turns of fast programs, and of programs that take seconds. */
  readonly shortRounds: number;
  readonly longRounds: number;
  readonly steps: number;
  readonly manySteps: number;
  readonly sleepers: number;
  readonly sleepS: number;
  /** Concurrent agents with several steps: few and many. */
  readonly agents: readonly [few: number, many: number];
  /** Ended workers: few and many. */
  readonly ended: readonly [few: number, many: number];
  /** Concurrently living agents, and agents of one very large run. */
  readonly alive: readonly [number, number];
  /** Agents of a resumed run: few and many. */
  readonly resumed: readonly [few: number, many: number];
  /** Steps of the real client. */
  readonly prompts: number;
  /** Steps and agents of a run that a dashboard shows. */
  readonly served: readonly [steps: number, agents: number];
}

export const FULL: Scale = {
  shortRounds: 11,
  longRounds: 3,
  steps: 300,
  manySteps: 2_000,
  sleepers: 50,
  sleepS: 1,
  agents: [200, 1_000],
  ended: [200, 3_000],
  alive: [1_000, 10_000],
  resumed: [10, 1_000],
  prompts: 20,
  served: [10_000, 500],
};

/** A tenth: checks that the benchmarks work. */
export const QUICK: Scale = {
  shortRounds: 3,
  longRounds: 1,
  steps: 30,
  manySteps: 200,
  sleepers: 5,
  sleepS: 0.1,
  agents: [20, 100],
  ended: [20, 300],
  alive: [100, 1_000],
  resumed: [10, 100],
  prompts: 3,
  served: [1_000, 50],
};

/** One turn of a build that is compared with another: the turns alternate between the builds. */
export function oneTurn(scale: Scale): Scale {
  return { ...scale, shortRounds: Math.min(5, scale.shortRounds), longRounds: 1 };
}
