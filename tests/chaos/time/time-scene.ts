import { rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect } from "vitest";
import { z } from "zod";
import { type Scene, scene } from "../../e2e/scene.ts";
import type { CliOptions } from "../../support/cli.ts";
import { until } from "../../support/until.ts";
import { CHAOS_MAIN } from "../place.ts";
import { CLOCK_FILE } from "./moved-clock.ts";

export const STATE = ".raymond/workflows/one.json";
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** A scene whose wall clock the test can set while raymond is running. */
export interface TimeScene extends Scene {
  /** The command line. */
  readonly how: Pick<CliOptions, "main" | "env">;
  /** Sets the offset of the wall clock, ms. */
  readonly set: (ms: number) => Promise<void>;
  /** Sets the wall clock, epoch ms. */
  readonly setTo: (moment: number) => Promise<void>;
}

/** See {@link scene}. */
export async function timeScene(...given: Parameters<typeof scene>): Promise<TimeScene> {
  const here = await scene(...given);
  const file = path.join(here.project.home, "clock");
  const set = async (ms: number) => {
    await writeFile(`${file}.new`, String(ms));
    await rename(`${file}.new`, file);
  };
  await set(0);
  return {
    ...here,
    how: { main: CHAOS_MAIN, env: { [CLOCK_FILE]: file } },
    set,
    setTo: (moment) => set(moment - Date.now()),
  };
}

const waitSchema = z.object({ until: z.string(), since: z.string(), tries: z.number() });
const waitsSchema = z.record(z.string(), waitSchema);

/** Resolves with the wait in the state file. */
export function waitOf({ project }: Scene): Promise<z.infer<typeof waitSchema>> {
  return until("a wait in the state file", async () => {
    const state = await project.run("one").catch(() => undefined);
    return Object.values(waitsSchema.parse(state?.["waits"] ?? {}))[0];
  });
}

const sumsSchema = z.looseObject({ duration_s: z.number() });
const timedSchema = z.looseObject({
  started_at: z.string(),
  updated_at: z.string(),
  totals: sumsSchema,
  sums: z.object({
    states: z.record(z.string(), sumsSchema),
    models: z.record(z.string(), sumsSchema),
  }),
});
const eventSchema = z.looseObject({
  type: z.string(),
  seq: z.number(),
  at: z.string(),
  duration_ms: z.number().optional(),
});

/**
 * Invariants despite clock changes: the times of one process are in order, sequence numbers increase without gaps
 * except after a kill, and durations are neither negative nor longer than the test.
 */
export async function expectSaneTimes({ project }: Scene): Promise<void> {
  const log = await project.read(".raymond/runs/one/events.jsonl");
  const events = log
    .trimEnd()
    .split("\n")
    .map((line) => eventSchema.parse(JSON.parse(line)));
  for (const [index, { type, seq, at, duration_ms: duration = 0 }] of events.entries()) {
    const before = events[index - 1]?.at ?? at;
    const last = events[index - 1]?.seq ?? 0;
    if (type === "run.resumed") expect(seq).toBeGreaterThan(last);
    else expect(seq).toBe(last + 1);
    if (type !== "run.resumed") expect(at >= before, `${at} after ${before}`).toBe(true);
    expect(duration).toBeGreaterThanOrEqual(0);
    expect(duration).toBeLessThan(HOUR / 3);
  }
  const run = timedSchema.parse(JSON.parse(await project.read(STATE)));
  const all = [run.totals, ...Object.values(run.sums).flatMap((each) => Object.values(each))];
  for (const { duration_s: seconds } of all) {
    expect(seconds).toBeGreaterThanOrEqual(0);
    expect(seconds).toBeLessThan(HOUR / 3 / 1_000);
  }
}
