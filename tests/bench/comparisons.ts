import { compareAlive } from "./alive.ts";
import { costOf, type Program, type Sample, sampleOf, scaled, timeInTurns } from "./measure.ts";
import { comparePaints } from "./paints.ts";
import { compareResumes } from "./resumes.ts";
import { compareServes } from "./serves.ts";
import type { Row } from "./table.ts";
import type { TestBed } from "./test-bed.ts";
import { forks, loop, oneStep } from "./workflows.ts";

export interface Scale {
  /** Turns of fast programs, and of programs that take seconds. */
  readonly shortRounds: number;
  readonly longRounds: number;
  readonly steps: number;
  readonly manySteps: number;
  readonly sleepers: number;
  readonly sleepS: number;
  readonly agents: number;
  /** Ended workers: few and many. */
  readonly ended: readonly [number, number];
  /** Concurrently living agents. */
  readonly alive: number;
  /** Agents of a resumed run: few and many. */
  readonly resumed: readonly [number, number];
  /** Steps and agents of a run that a dashboard shows. */
  readonly served: readonly [steps: number, agents: number];
}

export const FULL: Scale = {
  shortRounds: 21,
  longRounds: 5,
  steps: 300,
  manySteps: 2_000,
  sleepers: 50,
  sleepS: 1,
  agents: 200,
  ended: [200, 3_000],
  alive: 1_000,
  resumed: [10, 1_000],
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
  agents: 20,
  ended: [20, 300],
  alive: 100,
  resumed: [10, 100],
  served: [1_000, 50],
};

const STEPS_OF_AGENT = 5;

/** All comparisons by name. */
export const COMPARISONS: Readonly<
  Record<string, (bed: TestBed, scale: Scale, stateBytes: number) => Promise<readonly Row[]>>
> = {
  starts: compareStarts,
  steps: compareSteps,
  "many-steps": compareManySteps,
  sleepers: compareSleepers,
  terminal: compareTerminal,
  agents: compareAgents,
  ended: compareEnded,
  memory: compareMemory,
  alive: compareAlive,
  resumes: compareResumes,
  serves: compareServes,
  paints: comparePaints,
};

/** Startup: processor time of the process. There are ten runs to list. */
async function compareStarts(bed: TestBed, { shortRounds }: Scale): Promise<readonly Row[]> {
  const workflow = await bed.workflow("one-step", oneStep);
  for (let runs = 1; runs < RUNS_TO_LIST; runs += 1) await bed.runOnce(workflow);
  const apart = `--state-dir=${bed.root}/steps`;
  const times = await timeInTurns(
    {
      node: bed.node("-e", "0"),
      version: bed.raymond("--version"),
      help: bed.raymond("--help"),
      mistake: { ...bed.raymond("--no-such-flag"), mayFail: true },
      list: bed.raymond("list"),
      status: bed.raymond("status"),
      step: bed.raymond(workflow, "--quiet", apart),
    },
    shortRounds,
  );
  const row = (what: string, name: keyof typeof times, target: number): Row => {
    const against = `${what}, processor time against node -e 0`;
    return { what: against, floor: times.node.cpu, raymond: times[name].cpu, unit: "ms", target };
  };
  return [
    row("raymond --version", "version", 1.25),
    row("raymond --help", "help", 1.25),
    row("a wrong flag", "mistake", 1.25),
    row("raymond list, of ten runs", "list", 1.8),
    row("raymond status", "status", 1.8),
    row("one script step", "step", 1.9),
  ];
}

const RUNS_TO_LIST = 10;

/** One agent with consecutive short steps. */
async function compareSteps(
  bed: TestBed,
  { steps, longRounds }: Scale,
  stateBytes: number,
): Promise<readonly Row[]> {
  const workflow = await bed.workflow("loop", loop(steps));
  const times = await timeInTurns(
    {
      floor: bed.floor(stateBytes, `${workflow}/START.sh`, steps),
      raymond: bed.raymond(workflow),
      lean: bed.raymond(workflow, "--no-debug", "--quiet"),
    },
    longRounds,
  );
  const row = (what: string, name: "raymond" | "lean", target: number): Row => {
    return { what, floor: times.floor.wall, raymond: times[name].wall, unit: "ms", target };
  };
  return [
    row(`${String(steps)} script steps`, "raymond", 1.35),
    row(`${String(steps)} script steps, --no-debug --quiet`, "lean", 1.2),
  ];
}

/** The same in a terminal with and without the live view: processor time of raymond, and wall clock time. */
async function compareTerminal(
  bed: TestBed,
  { steps, longRounds }: Scale,
): Promise<readonly Row[]> {
  const workflow = await bed.workflow("loop", loop(steps));
  const { plain, live } = await timeInTurns(
    { plain: bed.onTerminal(workflow, "--plain"), live: bed.onTerminal(workflow) },
    longRounds,
  );
  const what = `${String(steps)} script steps with the live view, against plain lines on a terminal`;
  return [
    { what, floor: plain.wall, raymond: live.wall, unit: "ms", target: 1.05 },
    {
      what: `${what}, processor time`,
      floor: plain.cpu,
      raymond: live.cpu,
      unit: "ms",
      target: null,
    },
  ];
}

/** Enough steps to make the startup irrelevant. */
async function compareManySteps(
  bed: TestBed,
  { manySteps, longRounds }: Scale,
  stateBytes: number,
): Promise<readonly Row[]> {
  const workflow = await bed.workflow("long-loop", loop(manySteps));
  const { floor, lean } = await timeInTurns(
    {
      floor: bed.floor(stateBytes, `${workflow}/START.sh`, manySteps),
      lean: bed.raymond(workflow, "--no-debug", "--quiet"),
    },
    Math.ceil(longRounds / 2),
  );
  const each = (sample: Sample) => scaled(sample, 1 / manySteps);
  const what = `${String(manySteps)} script steps, --no-debug --quiet, each`;
  return [{ what, floor: each(floor.wall), raymond: each(lean.wall), unit: "ms", target: 1.12 }];
}

/** Workers that only wait. The startup is subtracted on both sides. */
async function compareSleepers(
  bed: TestBed,
  { sleepers, sleepS, longRounds }: Scale,
  stateBytes: number,
): Promise<readonly Row[]> {
  const workflow = await bed.workflow("sleepers", forks(sleepers, [`sleep ${String(sleepS)}`]));
  const one = await bed.workflow("one-step", oneStep);
  const files = [`${workflow}/START.sh`, sleepers + 1, `${workflow}/W1.sh`, 1] as const;
  const times = await timeInTurns(
    {
      node: bed.node("-e", "0"),
      step: bed.raymond(one),
      floor: bed.floor(stateBytes, ...files),
      raymond: bed.raymond(workflow),
    },
    Math.ceil(longRounds / 2),
  );
  const what = `${String(sleepers)} workers that sleep ${String(sleepS)} s, without starting`;
  const floor = less(times.floor.wall, times.node.wall);
  const raymond = less(times.raymond.wall, times.step.wall);
  return [{ what, floor, raymond, unit: "ms", target: 1.1 }];
}

function less(from: Sample, what: Sample): Sample {
  return sampleOf(from.values.map((value, turn) => value - (what.values[turn] ?? Number.NaN)));
}

/** Many concurrent agents. Figures are per step, including forks. */
async function compareAgents(
  bed: TestBed,
  { agents, longRounds }: Scale,
  stateBytes: number,
): Promise<readonly Row[]> {
  const workflow = await agentsWorkflow(bed, agents);
  const files = [`${workflow}/START.sh`, agents + 1, `${workflow}/W1.sh`, STEPS_OF_AGENT] as const;
  const times = await timeInTurns(
    {
      floor: bed.floor(stateBytes, ...files),
      raymond: bed.raymond(workflow),
      lean: bed.raymond(workflow, "--no-debug", "--quiet"),
    },
    Math.ceil(longRounds / 2),
  );
  const steps = agents * STEPS_OF_AGENT + agents + 1;
  const what = `${String(agents)} agents × ${String(STEPS_OF_AGENT)} steps, each step`;
  const floor = scaled(times.floor.wall, 1 / steps);
  return [
    { what, floor, raymond: scaled(times.raymond.wall, 1 / steps), unit: "ms", target: null },
    {
      what: `${what}, --no-debug --quiet`,
      floor,
      raymond: scaled(times.lean.wall, 1 / steps),
      unit: "ms",
      target: null,
    },
  ];
}

/** Ended workers: processor time of raymond per step, without scripts. */
async function compareEnded(bed: TestBed, { ended }: Scale): Promise<readonly Row[]> {
  const step = async (workers: number) => {
    const workflow = await bed.workflow(`ended-${String(workers)}`, forks(workers, [":"]));
    const { cpuMs } = await costOf(bed.raymond(workflow, "--no-debug", "--quiet"));
    return sampleOf([cpuMs / (2 * workers + 1)]);
  };
  const [few, many] = ended;
  const what = `own time a step, ${String(many)} workers that end, against ${String(few)}`;
  const floor = await step(few);
  return [{ what, floor, raymond: await step(many), unit: "ms", target: 1.3 }];
}

/** Peak memory of the raymond process, without child processes. */
async function compareMemory(bed: TestBed, { steps, agents }: Scale): Promise<readonly Row[]> {
  const megabytes = async (program: Program) => {
    return sampleOf([(await costOf(program)).peak / 1e6]);
  };
  const floor = await megabytes(bed.node("-e", "0"));
  const looping = bed.raymond(await bed.workflow("loop", loop(steps)));
  const forking = bed.raymond(await agentsWorkflow(bed, agents));
  const row = async (what: string, program: typeof looping): Promise<Row> => {
    return { what, floor, raymond: await megabytes(program), unit: "MB", target: null };
  };
  return [
    await row(`peak memory, ${String(steps)} script steps, against node -e 0`, looping),
    await row(`peak memory, ${String(agents)} agents, against node -e 0`, forking),
  ];
}

function agentsWorkflow(bed: TestBed, agents: number): Promise<string> {
  const steps = Array<string>(STEPS_OF_AGENT).fill(":");
  return bed.workflow("agents", forks(agents, steps));
}
