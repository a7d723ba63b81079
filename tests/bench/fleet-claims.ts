import { setTimeout as delay } from "node:timers/promises";
import type { FleetScene } from "./fleet-scene.ts";
import { sampleOf } from "./measure.ts";
import type { Row } from "./table.ts";
import type { TestBed } from "./test-bed.ts";
import { oneStep } from "./workflows.ts";

const WORKERS = 20;
const RUNS = 20;

/** How soon one of many idle workers, each a process, takes what is submitted: all look into one queue, once a second. */
export async function compareClaims(scene: FleetScene, bed: TestBed): Promise<readonly Row[]> {
  const workflow = await bed.workflow("claimed", oneStep);
  // Not all at once: it is not their start that is measured.
  for (let number = 1; number <= WORKERS; number += 1) {
    await scene.worker(`claims-${String(number)}`, "--slots", "2");
  }
  const taken: number[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const id = await scene.submit(workflow);
    const began = performance.now();
    while (!(await isTaken(scene, id))) await delay(5);
    taken.push(performance.now() - began);
  }
  const what = `until one of ${String(WORKERS)} workers of one queue has taken a run, against a look a second`;
  return [
    {
      what,
      floor: sampleOf(taken.map(() => POLL_MS)),
      raymond: sampleOf(taken),
      unit: "ms",
      target: 1,
    },
  ];
}

/** `raymond worker` looks so often. */
const POLL_MS = 1_000;

async function isTaken({ database }: FleetScene, id: string): Promise<boolean> {
  const [row] = await database.query<{ home: string | null }>(
    "SELECT home FROM raymond.runs WHERE id = $1",
    [id],
  );
  return row?.home != null;
}
