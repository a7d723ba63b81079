import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { postgresStore } from "../../src/stores/postgres/store.ts";
import { run } from "../support/runs.ts";
import type { FleetScene } from "./fleet-scene.ts";
import { type Sample, sampleOf } from "./measure.ts";

/** Saves a run of its own twenty times a second, until it is told to end: what a save takes whatever else goes on. */
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
