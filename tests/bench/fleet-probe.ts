import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { postgresStore } from "../../src/fleet/store/store.ts";
import { run } from "../support/runs.ts";
import type { FleetScene } from "./fleet-scene.ts";
import { type Sample, sampleOf } from "./measure.ts";

/** Saves a run twenty times a second until the parent stops it, to measure the latency of saves under load. */
export async function probeSaves({ database }: FleetScene, until: AbortSignal): Promise<Sample> {
  const store = postgresStore(database, "/");
  const taken: number[] = [];
  let probe = run({ id: `probe-${randomUUID()}`, saves: 0 });
  while (!until.aborted) {
    const next = { ...probe, saves: probe.saves + 1 };
    const began = performance.now();
    await store.save(next, probe.saves);
    taken.push(performance.now() - began);
    probe = next;
    await delay(50);
  }
  await store.close();
  return sampleOf(taken);
}
