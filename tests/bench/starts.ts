import { timeInTurns } from "./measure.ts";
import type { Scale } from "./scale.ts";
import type { Row } from "./table.ts";
import type { TestBed } from "./test-bed.ts";
import { oneStep } from "./workflows.ts";

const RUNS_TO_LIST = 10;

/** Startup: processor time of the process. There are ten runs to list. */
export async function compareStarts(bed: TestBed, { shortRounds }: Scale): Promise<readonly Row[]> {
  const workflow = await bed.workflow("one-step", oneStep);
  for (let runs = 1; runs < RUNS_TO_LIST; runs += 1) await bed.runOnce(workflow);
  const apart = `--state-dir=${bed.root}/steps`;
  const times = await timeInTurns(
    {
      node: bed.node("-e", "0"),
      version: bed.raymond("--version"),
      help: bed.raymond("--help"),
      mistake: { ...bed.raymond("--no-such-flag"), ends: "in any way" },
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
    row("raymond status", "status", 1.6),
    row("one script step", "step", 1.8),
  ];
}
