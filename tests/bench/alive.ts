import type { Scale } from "./comparisons.ts";
import { costOf, sampleOf } from "./measure.ts";
import type { Row } from "./table.ts";
import type { TestBed } from "./test-bed.ts";
import { forksOfPrompts } from "./workflows.ts";

/** Memory of living agents with prompts in flight. */
export async function compareAlive(bed: TestBed, { alive }: Scale): Promise<readonly Row[]> {
  // Prompts take longer than forking all agents.
  const seconds = Math.ceil(alive / 50);
  const workflow = await bed.workflow("alive", forksOfPrompts(alive, seconds));
  const all = String(alive + 1);
  const flags = ["--simulate", "--quiet", `--max-parallel=${all}`, `--max-agents=${all}`];
  const floor = await costOf(bed.node("-e", "0"));
  const held = await costOf(bed.raymond(workflow, ...flags));
  const mib = (bytes: number) => sampleOf([bytes / 2 ** 20]);
  const what = `peak memory, ${String(alive)} agents alive, over node -e 0 (target: MiB over it)`;
  const over = held.peak - floor.peak;
  return [{ what, floor: mib(2 ** 20), raymond: mib(over), unit: "MiB", target: 70 }];
}
