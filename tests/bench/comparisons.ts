import { ownCost, sampleOf, scaled, timeInTurns } from "./measure.ts";
import type { Stage } from "./stage.ts";
import type { Row } from "./table.ts";
import { forks, loop, oneStep } from "./workflows.ts";

/** How much is measured. */
export interface Scale {
  /** Turns of programs that take a fraction of a second, and of those that take seconds. */
  readonly shortRounds: number;
  readonly longRounds: number;
  readonly steps: number;
  readonly sleepers: number;
  readonly sleepS: number;
  readonly agents: number;
  /** Workers that have ended, few and many. */
  readonly ended: readonly [number, number];
}

export const FULL: Scale = {
  shortRounds: 21,
  longRounds: 5,
  steps: 300,
  sleepers: 50,
  sleepS: 1,
  agents: 200,
  ended: [200, 3_000],
};

/** A tenth: whether it works, not how long it takes. */
export const QUICK: Scale = {
  shortRounds: 3,
  longRounds: 1,
  steps: 30,
  sleepers: 5,
  sleepS: 0.1,
  agents: 20,
  ended: [20, 300],
};

const STEPS_OF_AGENT = 5;

/** Start-up: from the shell's point of view, to the exit of the process. Ten runs are there to be listed. */
export async function compareStarts(stage: Stage, { shortRounds }: Scale): Promise<readonly Row[]> {
  const workflow = await stage.workflow("one-step", oneStep);
  const step = stage.raymond(workflow, "--quiet");
  await timeInTurns({ step }, RUNS_TO_LIST);
  const times = await timeInTurns(
    {
      node: stage.node("-e", "0"),
      version: stage.raymond("--version"),
      help: stage.raymond("--help"),
      list: stage.raymond("list"),
      status: stage.raymond("status"),
      step,
    },
    shortRounds,
  );
  const row = (what: string, name: keyof typeof times, target: number): Row => {
    const against = `${what}, against node -e 0`;
    return { what: against, floor: times.node, raymond: times[name], unit: "ms", target };
  };
  return [
    row("raymond --version", "version", 1.25),
    row("raymond --help", "help", 1.25),
    row("raymond list", "list", 1.8),
    row("raymond status", "status", 1.8),
    row("one script step", "step", 1.9),
  ];
}

const RUNS_TO_LIST = 10;

/** One agent that takes one short step after the other. */
export async function compareSteps(
  stage: Stage,
  { steps, longRounds }: Scale,
  stateBytes: number,
): Promise<readonly Row[]> {
  const workflow = await stage.workflow("loop", loop(steps));
  const times = await timeInTurns(
    {
      floor: stage.floor(stateBytes, `${workflow}/START.sh`, steps),
      raymond: stage.raymond(workflow),
      lean: stage.raymond(workflow, "--no-debug", "--quiet"),
    },
    longRounds,
  );
  const row = (what: string, name: "raymond" | "lean"): Row => {
    return { what, floor: times.floor, raymond: times[name], unit: "ms", target: 1.3 };
  };
  return [
    row(`${String(steps)} script steps`, "raymond"),
    row(`${String(steps)} script steps, --no-debug --quiet`, "lean"),
  ];
}

/** Workers that do nothing but wait: whether they wait together. */
export async function compareSleepers(
  stage: Stage,
  { sleepers, sleepS, longRounds }: Scale,
  stateBytes: number,
): Promise<readonly Row[]> {
  const workflow = await stage.workflow("sleepers", forks(sleepers, [`sleep ${String(sleepS)}`]));
  const times = await timeInTurns(
    {
      floor: stage.floor(stateBytes, `${workflow}/W1.sh`, 1),
      raymond: stage.raymond(workflow),
    },
    Math.ceil(longRounds / 2),
  );
  const what = `${String(sleepers)} workers that sleep ${String(sleepS)} s, against one`;
  return [{ what, floor: times.floor, raymond: times.raymond, unit: "ms", target: null }];
}

/** Many agents at once; each figure is for one step, those that fork included. */
export async function compareAgents(
  stage: Stage,
  { agents, longRounds }: Scale,
  stateBytes: number,
): Promise<readonly Row[]> {
  const workflow = await agentsWorkflow(stage, agents);
  const files = [`${workflow}/START.sh`, agents + 1, `${workflow}/W1.sh`, STEPS_OF_AGENT] as const;
  const times = await timeInTurns(
    {
      floor: stage.floor(stateBytes, ...files),
      raymond: stage.raymond(workflow),
      lean: stage.raymond(workflow, "--no-debug", "--quiet"),
    },
    Math.ceil(longRounds / 2),
  );
  const steps = agents * STEPS_OF_AGENT + agents + 1;
  const what = `${String(agents)} agents × ${String(STEPS_OF_AGENT)} steps, each step`;
  const floor = scaled(times.floor, 1 / steps);
  return [
    { what, floor, raymond: scaled(times.raymond, 1 / steps), unit: "ms", target: null },
    {
      what: `${what}, --no-debug --quiet`,
      floor,
      raymond: scaled(times.lean, 1 / steps),
      unit: "ms",
      target: null,
    },
  ];
}

/** Workers that have ended: what a step costs raymond itself, without the scripts. */
export async function compareEnded(stage: Stage, { ended }: Scale): Promise<readonly Row[]> {
  const step = async (workers: number) => {
    const workflow = await stage.workflow(`ended-${String(workers)}`, forks(workers, [":"]));
    const { cpuMs } = await ownCost(stage.raymond(workflow, "--no-debug", "--quiet"));
    return sampleOf([cpuMs / (2 * workers + 1)]);
  };
  const [few, many] = ended;
  const what = `own time a step, ${String(many)} workers that end, against ${String(few)}`;
  const floor = await step(few);
  return [{ what, floor, raymond: await step(many), unit: "ms", target: 1.3 }];
}

/** The most memory that the process of raymond holds, without its children. */
export async function compareMemory(
  stage: Stage,
  { steps, agents }: Scale,
): Promise<readonly Row[]> {
  const megabytes = async (program: Parameters<typeof ownCost>[0]) => {
    return sampleOf([(await ownCost(program)).peak / 1e6]);
  };
  const floor = await megabytes(stage.node("-e", "0"));
  const looping = stage.raymond(await stage.workflow("loop", loop(steps)));
  const forking = stage.raymond(await agentsWorkflow(stage, agents));
  const row = async (what: string, program: typeof looping): Promise<Row> => {
    return { what, floor, raymond: await megabytes(program), unit: "MB", target: null };
  };
  return [
    await row(`peak memory, ${String(steps)} script steps, against node -e 0`, looping),
    await row(`peak memory, ${String(agents)} agents, against node -e 0`, forking),
  ];
}

function agentsWorkflow(stage: Stage, agents: number): Promise<string> {
  const steps = Array<string>(STEPS_OF_AGENT).fill(":");
  return stage.workflow("agents", forks(agents, steps));
}
