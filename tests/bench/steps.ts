import { type Sample, scaled, timeInTurns, without } from "./measure.ts";
import type { Scale } from "./scale.ts";
import { peerRow, type Row } from "./table.ts";
import type { TestBed } from "./test-bed.ts";
import { loop, oneStep } from "./workflows.ts";

/** One agent with consecutive short steps. */
export async function compareSteps(
  bed: TestBed,
  { steps, longRounds }: Scale,
  stateBytes: number,
): Promise<readonly Row[]> {
  const workflow = await bed.workflow("loop", loop(steps));
  const one = await bed.workflow("one-step", oneStep);
  const times = await timeInTurns(
    {
      step: bed.raymond(one),
      floor: bed.floor(stateBytes, `${workflow}/START.sh`, steps),
      raymond: bed.raymond(workflow),
      lean: bed.raymond(workflow, "--no-debug", "--quiet"),
      ...bed.peer(workflow),
    },
    longRounds,
  );
  const what = `${String(steps)} script steps`;
  const row = (title: string, name: "raymond" | "lean", target: number): Row => {
    return { what: title, floor: times.floor.wall, raymond: times[name].wall, unit: "ms", target };
  };
  const own = scaled(without(times.raymond.cpu, times.step.cpu), 1 / (steps - 1));
  return [
    row(what, "raymond", 0.9),
    row(`${what}, --no-debug --quiet`, "lean", 0.8),
    ...peerRow(what, times, 1.5),
    {
      what: "own processor time per script step",
      floor: null,
      raymond: own,
      unit: "ms",
      target: 2,
    },
  ];
}

/** Enough steps to make the startup irrelevant. */
export async function compareManySteps(
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
  return [{ what, floor: each(floor.wall), raymond: each(lean.wall), unit: "ms", target: 0.8 }];
}

/** The same in a terminal with and without the live view: processor time of raymond, and wall clock time. */
export async function compareTerminal(
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
