import { agentsWorkflow } from "./agents.ts";
import { costOf, type Program, type Sample, sampleOf } from "./measure.ts";
import type { Scale } from "./scale.ts";
import type { Row } from "./table.ts";
import type { TestBed } from "./test-bed.ts";
import { forks, forksOfPrompts, loop } from "./workflows.ts";

/** Peak memory of the raymond process, without child processes. */
export async function compareMemory(bed: TestBed, scale: Scale): Promise<readonly Row[]> {
  const { steps, agents } = scale;
  const looping = bed.raymond(await bed.workflow("loop", loop(steps)));
  const forking = bed.raymond(await agentsWorkflow(bed, agents[0]));
  const floor = await peakOf(bed.node("-e", "0"));
  const row = async (what: string, program: Program): Promise<Row> => {
    const peak = await peakOf(program);
    return {
      what: `peak memory, ${what}, against node -e 0`,
      ...{ floor, raymond: peak, unit: "MiB", target: null },
    };
  };
  return [
    await row(`${String(steps)} script steps`, looping),
    await row(`${String(agents[0])} agents`, forking),
  ];
}

/** Memory of living agents with prompts in flight, and of a run with very many agents. */
export async function compareAlive(bed: TestBed, { alive }: Scale): Promise<readonly Row[]> {
  const [living, many] = alive;
  // Prompts take longer than forking all agents.
  const prompts = forksOfPrompts(living, Math.ceil(living / 50));
  const agents = await bed.workflow(`alive-${String(living)}`, prompts);
  const workers = await bed.workflow(`many-${String(many)}`, forks(many, [":"], FORKS_AT_ONCE));
  const all = String(living + 1);
  const flags = ["--simulate", "--quiet", `--max-parallel=${all}`, `--max-agents=${all}`];
  const floor = await peakOf(bed.node("-e", "0"));
  const held = await peakOf(bed.raymond(agents, ...flags));
  const whole = await peakOf(bed.raymond(workers, "--quiet", `--max-agents=${String(many + 1)}`));
  return [
    {
      what: `peak memory, ${String(living)} agents alive, over node -e 0`,
      ...{ floor: null, raymond: sampleOf([held.median - floor.median]), unit: "MiB", target: 70 },
    },
    {
      what: `peak memory, ${String(many)} agents in one run`,
      ...{ floor: null, raymond: whole, unit: "MiB", target: 600 },
    },
  ];
}

const FORKS_AT_ONCE = 100;

async function peakOf(program: Program): Promise<Sample> {
  return sampleOf([(await costOf(program)).peak / 2 ** 20]);
}
