import { readFile } from "node:fs/promises";
import path from "node:path";
import { CRASH_AT, CRASH_LOG, type LoggedHit, parseHits } from "./crash-point.ts";
import { type Pair, pointsOf } from "./crash-table.ts";
import { compare, type Observation, observe } from "./observable.ts";
import type { Scenario } from "./scenarios.ts";
import { live, makeTestBed } from "./test-bed.ts";

/** A scenario's run that nobody broke off: what a broken one is compared with. */
export interface Unbroken {
  readonly scenario: Scenario;
  readonly observation: Observation;
  readonly hits: readonly LoggedHit[];
  /** Where table and run disagree. */
  readonly failures: readonly string[];
}

/**
 * Lets a scenario run undisturbed, and holds what it reached against the table.
 * On a busy machine what arrives together is saved together, and a point is
 * passed over: it is missed only where it is missed each time.
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

/** One crash to try, and perhaps a second one of the resume. */
export interface Trial extends Pair {
  readonly hit: LoggedHit;
  /** The command that follows is killed at its first hit of the same point. */
  readonly again: boolean;
}

export interface Tried {
  readonly crashes: number;
  readonly resumes: number;
  readonly failures: readonly string[];
}

/** Kills raymond there, resumes until the run is over, and compares. */
export async function tryCrash(trial: Trial, unbroken: Unbroken): Promise<Tried> {
  for (let times = 1; ; times += 1) {
    const tried = await tryOnce(trial, unbroken);
    if (times === TIMES || !tried.failures.every(isMissed)) return tried;
    if (tried.failures.length === 0) return tried;
  }
}

async function tryOnce(trial: Trial, unbroken: Unbroken): Promise<Tried> {
  const { point, hit, again } = trial;
  const bed = await makeTestBed(unbroken.scenario);
  const name = `${point}#${String(hit.nth)} of command ${String(hit.command)} in ${trial.scenario}${again ? ", twice" : ""}`;
  try {
    const life = await live(bed, (nth): Readonly<Record<string, string>> => {
      if (nth === hit.command) return { [CRASH_AT]: `${point}#${String(hit.nth)}` };
      return again && nth === hit.command + 1 ? { [CRASH_AT]: point } : {};
    });
    const { commands, crashes } = life;
    // How much arrives at once is chance: only the first hit of a point is sure to come.
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
