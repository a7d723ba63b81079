import { stat } from "node:fs/promises";
import path from "node:path";
import type { RunState } from "../core/machine/run-state.ts";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import { decodeEvent } from "../observers/event-json.ts";
import { compare, type Mismatch } from "../testing/compare.ts";
import { writeTestFile } from "../testing/find.ts";
import { observe } from "../testing/observed.ts";
import { happenedIn, recordTest, tellingSettings } from "../testing/record-test.ts";
import { parseTests } from "../testing/test-file.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { NotRecordedError, NotTestableError, TestExistsError } from "./record-errors.ts";
import { beginsLater, type RecordedRun, readRecordedRun } from "./recorded-run.ts";
import type { Wanted } from "./wire/stores.ts";
import { performTest } from "./wire/test-engine.ts";
import { testedBeginning, testedSettings } from "./wire/tested-beginning.ts";
import { openTestedWorkflow, type TestedWorkflow } from "./wire/tested-workflow.ts";

export interface FromRunOptions extends Wanted {
  /** Where the test file is written; else beside the workflow, by the id of the run. Nothing is written over. */
  readonly output?: string | undefined;
  /** What raymond would end with after a run. */
  readonly exitCodeOf: (run: RunState) => number;
}

/** The test file of a run, and where it lies. */
export interface FromRun {
  readonly run: string;
  readonly file: string;
}

/**
 * Turns a run that has ended into a test file that passes. Rejects with a
 * RaymondError where the run lacks what that needs, or where its test would go
 * another way; then nothing is written.
 */
export async function testFromRun(
  options: FromRunOptions,
  caller: Caller = thisProcess(),
): Promise<FromRun> {
  const recorded = await readRecordedRun(options, caller);
  const { run } = recorded;
  refuseUnended(run);
  const workflow = await openTestedWorkflow(workflowPlace(run));
  const file = path.resolve(caller.cwd, options.output ?? usualPlace(run));
  if ((await stat(file).catch(() => null)) !== null) throw new TestExistsError(file);
  const text = await tell(recorded, workflow, options);
  const told = await perform(file, text, workflow, options, caller);
  const [first] = told.mismatches;
  if (first !== undefined) {
    const lines = [first.message, ...first.lines.map((line) => `  ${line}`)];
    throw new NotTestableError(
      run.id,
      `its test would go another way. ${lines.join("\n")}`,
      CHANGED,
    );
  }
  await writeTestFile(file, told.text);
  return { run: run.id, file };
}

const CHANGED =
  "The workflow may have changed since: raymond replay says where. A test also knows no crash, and no order of steps that only chance has made.";

/** A test knows no Ctrl-C, and a run that goes on is none yet. */
function refuseUnended({ id, status }: RunState): void {
  if (status === "running" || status === "waiting") {
    throw new NotTestableError(id, "it has not ended.", "Let it end first, or resume it.");
  }
  if (status === "interrupted") {
    const hint = "Resume it, and let it end.";
    throw new NotTestableError(id, "it was interrupted, which no test can be.", hint);
  }
}

/** The workflow as a path: a state that was named begins in its folder. */
export function workflowPlace({ workflow, scopeDir }: RunState): string {
  return workflow.kind === "folder" ? scopeDir : workflow.path;
}

function usualPlace(run: RunState): string {
  return run.workflow.kind === "folder"
    ? path.join(run.scopeDir, `${run.id}.test.yaml`)
    : `${run.workflow.path}.test.yaml`;
}

async function tell(
  { run, recording, artifacts }: RecordedRun,
  workflow: TestedWorkflow,
  { exitCodeOf }: FromRunOptions,
): Promise<string> {
  const happened = happenedIn(recording);
  if (happened === null) throw new Error(`run ${run.id} has no record`);
  const { beginning } = recording;
  if (beginning === null) {
    const hint =
      "A test begins where its run has begun: take one whose journal reaches back to its first step.";
    throw new NotRecordedError(run.id, beginsLater(recording), hint);
  }
  const { entry } = beginning.workflow;
  const usual = testedSettings({}, workflow.manifest);
  return recordTest({
    ...{ beginning, recording },
    observed: observe(happened, workflow.states, exitCodeOf(run)),
    states: workflow.states,
    start: isEntry(entry, workflow) ? null : entry,
    settings: tellingSettings(recording, run.settings, usual),
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

/** What the model has said last in each process: the event log is evidence, and may lack some. */
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
    return decodeEvent(JSON.parse(line));
  } catch {
    return null;
  }
}

/** The test as it goes. What an attempt has cost that was cut off is known to no test: then its cost is not told. */
async function perform(
  file: string,
  text: string,
  workflow: TestedWorkflow,
  { exitCodeOf }: FromRunOptions,
  caller: Caller,
): Promise<{ readonly text: string; readonly mismatches: readonly Mismatch[] }> {
  const [test] = parseTests(file, text, workflow.states);
  if (test === undefined) throw new Error("a test that was written holds none");
  const happened = await performTest(
    test,
    workflow,
    testedBeginning(test, workflow),
    caller,
    false,
  );
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
