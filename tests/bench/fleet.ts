import { loadavg } from "node:os";
import type { COMPARISONS } from "./comparisons.ts";
import { compareClaims } from "./fleet-claims.ts";
import { compareLists } from "./fleet-list.ts";
import { type FleetScene, makeFleetScene } from "./fleet-scene.ts";
import { compareSubmits } from "./fleet-submits.ts";
import { compareWaits } from "./fleet-waits.ts";
import type { Row } from "./table.ts";
import type { TestBed } from "./test-bed.ts";

export interface FleetScale {
  /** Numbers of concurrent waiting runs, one comparison each. */
  readonly runs: readonly number[];
  /** Duration of each of their two waits. */
  readonly waitS: number;
  /** Number of runs to list. */
  readonly listed: number;
}

/** Comparisons of a fleet. Server, workers and benchmark share one machine. */
export function fleetComparisons({ runs, waitS, listed }: FleetScale): typeof COMPARISONS {
  const of = (compare: (scene: FleetScene, bed: TestBed) => Promise<readonly Row[]>) => {
    return async (bed: TestBed) => {
      const scene = await makeFleetScene(bed);
      try {
        return await compare(scene, bed);
      } finally {
        await scene.end();
        console.log(`(load of the machine: ${loadavg()[0]?.toFixed(1) ?? ""})`);
      }
    };
  };
  return {
    submits: of(compareSubmits),
    claims: of(compareClaims),
    ...Object.fromEntries(
      runs.flatMap((count) =>
        (["scripts", "answers"] as const).map((stepping) => [
          `waits-${String(count)}-${stepping}`,
          of((scene, bed) => compareWaits(scene, bed, count, waitS, stepping)),
        ]),
      ),
    ),
    list: of((scene) => compareLists(scene, listed)),
  };
}
