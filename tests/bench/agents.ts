import { costOf, sampleOf, scaled, timeInTurns } from "./measure.ts";
import type { Scale } from "./scale.ts";
import { peerRow, type Row } from "./table.ts";
import type { TestBed } from "./test-bed.ts";
import { forks } from "./workflows.ts";

/** Workers that only wait, with the start of raymond. */
export async function compareSleepers(
  bed: TestBed,
  { sleepers, sleepS, longRounds }: Scale,
  stateBytes: number,
): Promise<readonly Row[]> {
  const workflow = await bed.workflow("sleepers", forks(sleepers, [`sleep ${String(sleepS)}`]));
  const files = [`${workflow}/START.sh`, sleepers + 1, `${workflow}/W1.sh`, 1] as const;
  const times = await timeInTurns(
    {
      floor: bed.floor(stateBytes, ...files),
      raymond: bed.raymond(workflow),
      ...bed.peer(workflow),
    },
    Math.ceil(longRounds / 2),
  );
  const what = `${String(sleepers)} workers that sleep ${String(sleepS)} s`;
  const raymond = scaled(times.raymond.wall, 1 / 1_000);
  return [
    { what: `${what}, in all`, floor: null, raymond, unit: "s", target: 1.2 * sleepS },
    { what, floor: times.floor.wall, raymond: times.raymond.wall, unit: "ms", target: null },
    ...peerRow(what, times, null),
  ];
}

/** Many concurrent agents. Figures are per step, including forks. */
export async function compareAgents(
  bed: TestBed,
  { agents: [few], longRounds }: Scale,
  stateBytes: number,
): Promise<readonly Row[]> {
  return agentRows(bed, few, Math.ceil(longRounds / 2), stateBytes, 1);
}

export async function compareManyAgents(
  bed: TestBed,
  { agents: [, many], longRounds }: Scale,
  stateBytes: number,
): Promise<readonly Row[]> {
  return agentRows(bed, many, Math.ceil(longRounds / 4), stateBytes, 0.75);
}

async function agentRows(
  bed: TestBed,
  agents: number,
  rounds: number,
  stateBytes: number,
  ofPeer: number,
): Promise<readonly Row[]> {
  const workflow = await agentsWorkflow(bed, agents);
  const files = [`${workflow}/START.sh`, agents + 1, `${workflow}/W1.sh`, STEPS_OF_AGENT] as const;
  const times = await timeInTurns(
    {
      floor: bed.floor(stateBytes, ...files),
      raymond: bed.raymond(workflow),
      ...bed.peer(workflow),
    },
    rounds,
  );
  const steps = agents * STEPS_OF_AGENT + agents + 1;
  const run = `${String(agents)} agents × ${String(STEPS_OF_AGENT)} steps`;
  const floor = scaled(times.floor.wall, 1 / steps);
  const raymond = scaled(times.raymond.wall, 1 / steps);
  return [
    { what: `${run}, each step`, floor, raymond, unit: "ms", target: null },
    ...peerRow(run, times, ofPeer),
  ];
}

/** Ended workers: processor time of raymond per step, without scripts. */
export async function compareEnded(bed: TestBed, { ended }: Scale): Promise<readonly Row[]> {
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

const STEPS_OF_AGENT = 5;

export function agentsWorkflow(bed: TestBed, agents: number): Promise<string> {
  const steps = Array<string>(STEPS_OF_AGENT).fill(":");
  return bed.workflow(`agents-${String(agents)}`, forks(agents, steps));
}
