import { setTimeout as delay } from "node:timers/promises";
import type { FleetScene } from "./fleet-scene.ts";
import { sampleOf } from "./measure.ts";
import type { Row } from "./table.ts";
import type { TestBed } from "./test-bed.ts";
import { oneStep } from "./workflows.ts";

const WORKERS = 20;
const RUNS = 20;

/** Latency until one of many idle workers claims a run. All poll the same queue once a second. */
export async function compareClaims(scene: FleetScene, bed: TestBed): Promise<readonly Row[]> {
  const workflow = await bed.workflow("claimed", oneStep);
  // Start them one after the other: startup is not measured.
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

/** Poll interval of `raymond worker`, ms. */
const POLL_MS = 1_000;

async function isTaken({ database }: FleetScene, id: string): Promise<boolean> {
  const [row] = await database.query<{ home: string | null }>(
    "SELECT home FROM raymond.runs WHERE id = $1",
    [id],
  );
  return row?.home != null;
}
