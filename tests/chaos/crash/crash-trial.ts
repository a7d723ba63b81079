import { readFile } from "node:fs/promises";
import path from "node:path";
import { compare, type Observation, observe } from "../observable.ts";
import type { Scenario } from "../scenarios.ts";
import { live, makeTestBed } from "../test-bed.ts";
import { CRASH_AT, CRASH_LOG, type LoggedHit, parseHits } from "./crash-point.ts";
import { type Pair, pointsOf } from "./crash-table.ts";

/** An undisturbed run of a scenario, as reference. */
export interface Unbroken {
  readonly scenario: Scenario;
  readonly observation: Observation;
  readonly hits: readonly LoggedHit[];
  /** Differences between the table and the run. */
  readonly failures: readonly string[];
}

/**
 * Runs a scenario undisturbed and compares the reached points with the table. On a busy machine saves are combined
 * and points can be skipped, so a point counts as missing only if all attempts miss it.
 */
export async function runUnbroken(scenario: Scenario): Promise<Unbroken> {
  for (let times = 1; ; times += 1) {
    const run = await runOnce(scenario);
    const missed = run.failures.length > 0 && run.failures.every(isMissed);
    if (!missed || times === TIMES) return run;
  }
}

const TIMES = 10;

function isMissed(failure: string): boolean {
  return failure.includes(": not reached");
}

async function runOnce(scenario: Scenario): Promise<Unbroken> {
  const bed = await makeTestBed(scenario);
  const log = path.join(bed.project.home, "hits");
  const life = await live(bed, () => ({ [CRASH_LOG]: log }));
  const observation = await observe(bed, life);
  const hits = parseHits(await readFile(log, "utf8"));
  const reached = new Set(hits.map(({ point }) => point));
  const declared = new Set(pointsOf(scenario.name));
  const failures = [
    ...[...declared].filter((point) => !reached.has(point)).map((point) => `not reached: ${point}`),
    ...[...reached].filter((point) => !declared.has(point)).map((point) => `undeclared: ${point}`),
    ...compare(observation, observation, []),
  ];
  return {
    scenario,
    observation,
    hits,
    failures: failures.map((failure) => `${scenario.name}: ${failure}`),
  };
}

/** A crash, optionally with a second crash of the resume. */
export interface Trial extends Pair {
  readonly hit: LoggedHit;
  /** Also kill the next command at its first hit of the point. */
  readonly again: boolean;
}

export interface TrialResult {
  readonly crashes: number;
  readonly resumes: number;
  readonly failures: readonly string[];
}

/** Kills raymond at the point, resumes until the run ends, and compares it with the reference. */
export async function tryCrash(trial: Trial, unbroken: Unbroken): Promise<TrialResult> {
  for (let times = 1; ; times += 1) {
    const tried = await tryOnce(trial, unbroken);
    if (times === TIMES || !tried.failures.every(isMissed)) return tried;
    if (tried.failures.length === 0) return tried;
  }
}

async function tryOnce(trial: Trial, unbroken: Unbroken): Promise<TrialResult> {
  const { point, hit, again } = trial;
  const bed = await makeTestBed(unbroken.scenario);
  const name = `${point}#${String(hit.nth)} of command ${String(hit.command)} in ${trial.scenario}${again ? ", twice" : ""}`;
  try {
    const life = await live(bed, (nth): Readonly<Record<string, string>> => {
      if (nth === hit.command) return { [CRASH_AT]: `${point}#${String(hit.nth)}` };
      return again && nth === hit.command + 1 ? { [CRASH_AT]: point } : {};
    });
    const { commands, crashes } = life;
    // Saves are combined at random: only the first hit of a point is certain.
    const missed = crashes.length === 0 && hit.nth === 1;
    const broken = await observe(bed, life);
    const found = compare(unbroken.observation, broken, crashes);
    const failures = missed ? ["not reached", ...found] : found;
    return {
      crashes: crashes.length,
      resumes: crashes.length === 0 ? 0 : commands.length - 1 - hit.command,
      failures: failures.map((failure) => `${name}: ${failure}`),
    };
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    return { crashes: 0, resumes: 0, failures: [`${name}: ${said}`] };
  }
}
