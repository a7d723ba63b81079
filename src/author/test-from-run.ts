import { stat } from "node:fs/promises";
import path from "node:path";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import { inspectErrors } from "../inspect/errors.ts";
import { type RecordedRun, startsLater, withRecording } from "../inspect/history/recorded-run.ts";
import { readRun } from "../inspect/run-view.ts";
import { parseBoundedJson } from "../language/basics/json-object.ts";
import { decodeEvent } from "../log/codec/event-json.ts";
import type { RunState } from "../machine/model/run-state.ts";
import type { Caller } from "../wire/caller.ts";
import type { Wanted } from "../wire/stores.ts";
import { authorErrors } from "./errors.ts";
import { performTest } from "./test-engine.ts";
import { openTestedWorkflow, type TestedWorkflow, testedSettings } from "./tested-workflow.ts";
import { compare, type Mismatch } from "./testing/compare.ts";
import { writeTestFile } from "./testing/find.ts";
import { observe } from "./testing/happened.ts";
import { happenedIn, recordTest, relevantSettings } from "./testing/record-test.ts";
import { parseTests } from "./testing/test-file.ts";

export interface FromRunOptions extends Wanted {
  /** The test file to write (default: next to the workflow, named after the run). Never overwritten. */
  readonly output?: string | undefined;
  readonly exitCodeOf: (run: RunState) => number;
}

export interface FromRun {
  readonly run: string;
  readonly file: string;
}

/**
 * Converts an ended run to a test file that passes. Rejects with a RaymondError if the record is
 * incomplete, or if the test would diverge. Then it writes nothing.
 */
export async function testFromRun(options: FromRunOptions, caller: Caller): Promise<FromRun> {
  const recorded = await withRecording(await readRun(options, caller));
  const { run } = recorded;
  refuseUnended(run);
  const workflow = await openTestedWorkflow(workflowPlace(run));
  const file = path.resolve(caller.cwd, options.output ?? usualPlace(run));
  if ((await stat(file).catch(() => null)) !== null) throw authorErrors["test/exists"](file);
  const text = await testOf(recorded, workflow, options);
  const performed = await perform(file, text, workflow, options, caller);
  const [first] = performed.mismatches;
  if (first !== undefined) {
    const lines = [first.message, ...first.lines.map((line) => `  ${line}`)];
    throw authorErrors["test/not-testable"](
      run.id,
      `its test would take another path. ${lines.join("\n")}`,
      CHANGED,
    );
  }
  await writeTestFile(file, performed.text);
  return { run: run.id, file };
}

const CHANGED =
  "The workflow may have changed since: check with raymond replay. A test cannot reproduce crashes, or an order of steps that depends on timing.";

/** A test cannot express Ctrl-C, and the end of a run in progress is unknown. */
function refuseUnended({ id, status }: RunState): void {
  if (status === "running" || status === "waiting") {
    throw authorErrors["test/not-testable"](
      id,
      "it has not ended.",
      "Wait until it has ended, or resume it.",
    );
  }
  if (status === "interrupted") {
    const hint = "Resume it, and wait until it has ended.";
    throw authorErrors["test/not-testable"](
      id,
      "it was interrupted, which a test cannot reproduce.",
      hint,
    );
  }
}

/** The path to open the workflow of a run again, even if a state was named. */
export function workflowPlace({ workflow, scopeDir }: RunState): string {
  return workflow.kind === "folder" ? scopeDir : workflow.path;
}

function usualPlace(run: RunState): string {
  return run.workflow.kind === "folder"
    ? path.join(run.scopeDir, `${run.id}.test.yaml`)
    : `${run.workflow.path}.test.yaml`;
}

async function testOf(
  { run, recording, artifacts }: RecordedRun,
  workflow: TestedWorkflow,
  { exitCodeOf }: FromRunOptions,
): Promise<string> {
  const happened = happenedIn(recording);
  if (happened === null) throw new Error(`run ${run.id} has no record`);
  const { options: initial } = recording;
  if (initial === null) {
    const hint = "A test needs the first step of its run. Choose a run with a complete journal.";
    throw inspectErrors["run/not-recorded"](run.id, startsLater(recording), hint);
  }
  const { entry } = initial.workflow;
  const usual = testedSettings({}, workflow.manifest);
  return recordTest({
    ...{ initial, recording },
    observed: observe(happened, workflow.states, exitCodeOf(run)),
    states: workflow.states,
    start: isEntry(entry, workflow) ? null : entry,
    settings: relevantSettings(recording, run.settings, usual),
    said: await saidIn(artifacts.events),
  });
}

function isEntry(state: string, { entry }: TestedWorkflow): boolean {
  try {
    return entry() === state;
  } catch {
    return false;
  }
}

/** The last message of each process, as far as the event log has it. */
async function saidIn(events: string): Promise<ReadonlyMap<number, string>> {
  const text = await readTextFile(events, LIMITS.log).catch(() => "");
  const processes = new Map<string, number>();
  const said = new Map<number, string>();
  for (const line of text.split("\n")) {
    const event = parse(line);
    if (event?.type === "step.started") processes.set(event.agent, event.process);
    if (event?.type === "step.message") said.set(processes.get(event.agent) ?? 0, event.text);
  }
  return said;
}

function parse(line: string) {
  try {
    return decodeEvent(parseBoundedJson(line));
  } catch {
    return null;
  }
}

/** Leaves out the cost if that is the only mismatch: a test cannot reproduce the cost of killed attempts. */
async function perform(
  file: string,
  text: string,
  workflow: TestedWorkflow,
  { exitCodeOf }: FromRunOptions,
  caller: Caller,
): Promise<{ readonly text: string; readonly mismatches: readonly Mismatch[] }> {
  const [test] = parseTests(file, text, workflow.states);
  if (test === undefined) throw new Error("a test that was written holds none");
  const happened = await performTest(test, workflow, caller, false);
  const judge = (cost: typeof test.expect.cost) =>
    compare(
      { ...test, expect: { ...test.expect, cost } },
      happened,
      workflow.states,
      exitCodeOf(happened.run),
    );
  const mismatches = judge(test.expect.cost);
  const others = judge(null);
  if (others.length === mismatches.length) return { text, mismatches };
  return { text: text.replace(/\n {6}cost: [\d.e-]+\n$/, "\n"), mismatches: others };
}
