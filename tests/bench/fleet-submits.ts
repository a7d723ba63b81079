import type { FleetScene } from "./fleet-scene.ts";
import { type Sample, sampleOf } from "./measure.ts";
import type { Row } from "./table.ts";
import type { TestBed } from "./test-bed.ts";
import { oneStep } from "./workflows.ts";

const CALLS = 100;
const AT_ONCE = 8;
const MANY = 1_000;

/** Latency of a submit, without the start of a process. */
export async function compareSubmits(scene: FleetScene, bed: TestBed): Promise<readonly Row[]> {
  const workflow = await bed.workflow("submitted", oneStep);
  await scene.submit(workflow);
  const floor = await commits(scene, CALLS);
  const calls = await timed(CALLS, () => scene.submit(workflow));
  const began = performance.now();
  await manyTimes(MANY, AT_ONCE, () => scene.submit(workflow));
  const each = sampleOf([(performance.now() - began) / MANY]);
  return [
    { what: "a submit, against one commit", floor, raymond: calls, unit: "ms", target: null },
    {
      what: `a submit of ${String(MANY)}, ${String(AT_ONCE)} at once, each`,
      ...{ floor, raymond: each, unit: "ms", target: null },
    },
  ];
}

/** The minimum for a durable change: one statement that updates one row. */
async function commits({ database }: FleetScene, times: number): Promise<Sample> {
  await database.query("CREATE TABLE IF NOT EXISTS bench (id int PRIMARY KEY, n int)");
  await database.query("INSERT INTO bench VALUES (1, 0) ON CONFLICT DO NOTHING");
  return timed(times, () => database.query("UPDATE bench SET n = n + 1 WHERE id = 1"));
}

/** Runs the action `count` times, with limited concurrency. */
export async function manyTimes(
  times: number,
  atOnce: number,
  act: (index: number) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  const one = async () => {
    while (next < times) {
      const index = next;
      next += 1;
      await act(index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

async function timed(times: number, act: () => Promise<unknown>): Promise<Sample> {
  const taken: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const began = performance.now();
    await act();
    taken.push(performance.now() - began);
  }
  return sampleOf(taken);
}
