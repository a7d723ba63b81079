import path from "node:path";
import { readOutline } from "../inspect/outline.ts";
import { RaymondError } from "../language/basics/errors.ts";
import type { RunState } from "../machine/model/run-state.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import { performTest } from "./test-engine.ts";
import { openTestedWorkflow, type TestedWorkflow } from "./tested-workflow.ts";
import { compare, type Mismatch } from "./testing/compare.ts";
import { type Coverage, coverageOf } from "./testing/coverage.ts";
import { findTests, readTestFile, workflowOf, writeTestFile } from "./testing/find.ts";
import { type Happened, observe } from "./testing/happened.ts";
import { parseTests, type Test } from "./testing/test-file.ts";
import { updateTests } from "./testing/update.ts";

export interface TestOptions {
  /** Test files, workflows, or folders (default: the current folder). */
  readonly paths: readonly string[];
  /** Run scripts without an entry in the test. */
  readonly runScripts?: boolean | undefined;
  /** Write the observed results into the file, for tests that fail or expect nothing. */
  readonly update?: boolean | undefined;
  readonly coverage?: boolean | undefined;
  /** The exit code of raymond for a run. */
  readonly exitCodeOf: (run: RunState) => number;
}

export interface TestResult {
  readonly test: Test;
  /** Empty if the test has passed. */
  readonly mismatches: readonly Mismatch[];
  /** Null if its run could not start. */
  readonly happened: Happened | null;
  /** Real time, ms. */
  readonly durationMs: number;
}

export interface TestedFile {
  readonly file: string;
  readonly results: readonly TestResult[];
}

export interface Tested {
  readonly files: readonly TestedFile[];
  readonly updated: readonly string[];
  /** By workflow path. */
  readonly coverage: ReadonlyMap<string, Coverage>;
}

/**
 * Runs the tests of workflows. Checks all test files and workflows before the first test: on a
 * problem it rejects with a RaymondError.
 */
export async function test(options: TestOptions, caller: Caller = thisProcess()): Promise<Tested> {
  const read = await readFiles(options.paths, caller);
  const jobs = read.flatMap(({ workflow, tests }) => tests.map((one) => ({ workflow, one })));
  const results = await inParallel(jobs, (job) => runTest(job.one, job.workflow, options, caller));
  if (options.update === true) {
    const updated = await update(read, results, options);
    return { ...(await test({ ...options, update: false }, caller)), updated };
  }
  const files = read.map(({ file }) => ({ file, results: resultsOf(file, results) }));
  const coverage = options.coverage === true ? await cover(read, results) : new Map();
  return { files, updated: [], coverage };
}

function resultsOf(file: string, results: readonly TestResult[]): readonly TestResult[] {
  return results.filter((result) => result.test.file === file);
}

/** A test that did not end, or had no answer for a call, cannot be updated. */
async function update(
  read: readonly TestsOfFile[],
  results: readonly TestResult[],
  { exitCodeOf }: TestOptions,
): Promise<readonly string[]> {
  const updated: string[] = [];
  for (const { file, workflow } of read) {
    const outdated = resultsOf(file, results).flatMap(({ test: { name }, happened }) => {
      if (happened === null || happened.endless || happened.missing.length > 0) return [];
      const observed = observe(happened, workflow.states, exitCodeOf(happened.run));
      return [{ name, observed }];
    });
    const text = await readTestFile(file);
    const written = updateTests(text, outdated);
    if (written === text) continue;
    await writeTestFile(file, written);
    updated.push(file);
  }
  return updated;
}

async function cover(
  read: readonly TestsOfFile[],
  results: readonly TestResult[],
): Promise<ReadonlyMap<string, Coverage>> {
  const coverage = new Map<string, Coverage>();
  for (const { workflow } of read) {
    const { found, scope, states } = workflow;
    if (coverage.has(found.path)) continue;
    const files = new Set(read.filter((one) => one.workflow === workflow).map(({ file }) => file));
    const runs = results.flatMap(({ test: one, happened }) =>
      files.has(one.file) && happened !== null ? [happened] : [],
    );
    const outline = await readOutline({ ...scope, workflow: found.path }, states.platform);
    coverage.set(found.path, coverageOf(outline, runs));
  }
  return coverage;
}

interface TestsOfFile {
  readonly file: string;
  readonly workflow: TestedWorkflow;
  readonly tests: readonly Test[];
}

export async function testFiles(
  paths: readonly string[],
  { cwd }: Pick<Caller, "cwd">,
): Promise<readonly string[]> {
  const places = paths.length === 0 ? [cwd] : paths.map((place) => path.resolve(cwd, place));
  const found: (readonly string[])[] = [];
  for (const place of places) found.push(await findTests(place));
  return [...new Set(found.flat())];
}

async function readFiles(
  paths: readonly string[],
  caller: Caller,
): Promise<readonly TestsOfFile[]> {
  const opened = new Map<string, TestedWorkflow>();
  const read: TestsOfFile[] = [];
  for (const file of await testFiles(paths, caller)) {
    const text = await readTestFile(file);
    const place = await workflowOf(file);
    const workflow = opened.get(place) ?? (await openTestedWorkflow(place));
    opened.set(place, workflow);
    read.push({ file, workflow, tests: parseTests(file, text, workflow.states) });
  }
  return read;
}

/** Number of concurrent tests. Tests without real scripts never wait for the system. */
const AT_ONCE = 8;

async function inParallel<Job, Result>(
  jobs: readonly Job[],
  work: (job: Job) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Array<Result>(jobs.length);
  const queue = [...jobs.entries()];
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const [index, job] = next;
      results[index] = await work(job);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}

async function runTest(
  one: Test,
  workflow: TestedWorkflow,
  { runScripts = false, exitCodeOf }: TestOptions,
  caller: Caller,
): Promise<TestResult> {
  const began = performance.now();
  const done = (mismatches: readonly Mismatch[], happened: Happened | null): TestResult => {
    return { test: one, mismatches, happened, durationMs: performance.now() - began };
  };
  try {
    const happened = await performTest(one, workflow, caller, runScripts);
    const { states } = workflow;
    return done(compare(one, happened, states, exitCodeOf(happened.run)), happened);
  } catch (error) {
    if (!(error instanceof RaymondError)) throw error;
    const lines = (error.hint ?? "").split("\n").filter((line) => line !== "");
    return done([{ at: one.at, message: error.message, lines }], null);
  }
}
