import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fitting, SIMULATED } from "../clients/simulation/answers.ts";
import { scriptedBackend } from "../clients/simulation/backend.ts";
import type { Control, Engine } from "../engine/engine.ts";
import { executorByKind } from "../engine/executors/by-kind.ts";
import { promptExecutor } from "../engine/executors/prompt.ts";
import { scriptExecutor } from "../engine/executors/script.ts";
import { type Invocation, SIMULATION } from "../engine/ports/backend.ts";
import type { Executor } from "../engine/ports/executor.ts";
import type { StartProcess } from "../engine/ports/process.ts";
import type { Scope } from "../engine/ports/scope.ts";
import { startRun } from "../engine/start.ts";
import { noDebug } from "../log/debug-files.ts";
import type { Answer } from "../machine/move/answer.ts";
import type { Question } from "../machine/move/question.ts";
import type { RunSettings, RunState } from "../machine/run-state.ts";
import { openLibrary } from "../scopes/library.ts";
import type { Caller } from "../wire/caller.ts";
import { inheritedByScripts } from "../wire/engine/inherited.ts";
import { newToken, systemFolders, systemPlatform } from "../wire/system/system.ts";
import type { TestedWorkflow } from "./tested-workflow.ts";
import { Answers } from "./testing/answers.ts";
import { givenScripts } from "./testing/given-scripts.ts";
import { FailureEvidence, type Happened } from "./testing/happened.ts";
import type { Test } from "./testing/test-file.ts";
import { VirtualClock } from "./testing/virtual-clock.ts";

/** What the run of a test begins with, besides what its test says. */
export interface TestStart {
  readonly settings: RunSettings;
  readonly vars: Readonly<Record<string, string>>;
  readonly start: string;
}

/**
 * Runs one test on the real engine, in a world that is made of what the test
 * gives: no file, no process, no time that passes. `runScripts`: those that it
 * says nothing of really run, in a folder of their own that is removed
 * afterwards. Rejects with a RaymondError where the run cannot begin.
 */
export async function performTest(
  test: Test,
  workflow: TestedWorkflow,
  beginning: TestStart,
  caller: Caller,
  runScripts: boolean,
): Promise<Happened> {
  const folder = runScripts ? await mkdtemp(path.join(tmpdir(), "raymond-test-")) : null;
  // It is made where the test enters another workflow that is one file.
  const copies = path.join(tmpdir(), `raymond-test-${randomUUID()}`);
  try {
    const real = folder === null ? null : await openReal(folder, workflow, caller);
    return await perform(test, workflow, beginning, real, copies);
  } finally {
    await rm(copies, { recursive: true, force: true });
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }
}

/** The part of the world that is real where scripts run. */
interface Real extends Pick<Engine, "orphans" | "folders"> {
  readonly scope: Scope;
  readonly scripts: Executor;
  readonly launchDir: string;
}

async function perform(
  test: Test,
  { scope, found }: TestedWorkflow,
  { settings, vars, start }: TestStart,
  real: Real | null,
  copies: string,
): Promise<Happened> {
  const clock = new VirtualClock();
  const answers = new Answers(test);
  const prompts = new Map<number, string>();
  const stop = new AbortController();
  const witness = new FailureEvidence((attempts) => {
    if (attempts > test.maxSteps) stop.abort("SIGINT");
  });
  const platform = systemPlatform();
  const find = ({ state, prompt, token }: Invocation) => {
    const process = Number(token.slice(token.lastIndexOf(".") + 1));
    prompts.set(process, prompt);
    const attempt = witness.attempts.findLast((one) => one.process === process);
    return answers.reply(attempt?.agent ?? "", state, prompt);
  };
  const backend = scriptedBackend(test.file, find, clock.pause, clock.elapsed);
  const open = (startProcess: StartProcess) =>
    scriptExecutor({
      ...{ env: {}, platform, tempDir: null, start: startProcess },
      timer: (ms, callback) => timerOf(clock, ms, callback),
    });
  const executor = executorByKind({
    prompt: promptExecutor(backend, clock.elapsed),
    script: givenScripts(answers, clock, open, real?.scripts ?? null),
  });
  const said = (question: Question, at: number): readonly Answer[] => {
    const text = answers.answerTo(question.agent, question.from);
    const answer = text === null ? null : fitting(question, text);
    const { agent, number } = question;
    return answer === null ? [] : [{ agent, number, answer, by: SIMULATED, at }];
  };
  const engine: Engine = {
    workflows: openLibrary({
      started: { kind: found.kind, path: found.path, scope: real?.scope ?? scope },
      ...{ workflowPath: settings.workflowPath, platform, copies },
    }),
    executor: { execute: (...step) => clock.busy(() => executor.execute(...step)) },
    store: { save: () => Promise.resolve() },
    journal: witness,
    observer: witness,
    answers: { collect: (open, now) => Promise.resolve(open.flatMap((asked) => said(asked, now))) },
    manualSessions: { list: () => Promise.resolve([]), remove: () => Promise.resolve() },
    lastEventSeq: () => Promise.resolve(0),
    clock,
    ids: numbered(),
    folders: real?.folders ?? { find: (base, name) => Promise.resolve(path.resolve(base, name)) },
    orphans: real?.orphans ?? NOTHING_LEFT,
    backend,
    platform,
    recorder: () => noDebug,
    random: () => 0.5,
    lostSession: "fail",
  };
  const control: Control = {
    interrupt: stop.signal,
    kill: stop.signal,
    onRetryNow: () => undefined,
    onWake: () => undefined,
    onStopAfterSteps: () => undefined,
    onAnswer: () => undefined,
    onManualSession: () => undefined,
    attended: () => false,
    parksWhenIdle: () => false,
  };
  const initial = {
    id: "test",
    workflow: { kind: found.kind, path: found.path, entry: start },
    scopeDir: (real?.scope ?? scope).dir,
    launchDir: real?.launchDir ?? PRETENDED_FOLDER,
    at: clock.now(),
    settings,
    backend: SIMULATION,
    token: real === null ? "test" : newToken(),
    input: test.input,
    attributes: vars,
  } as const;
  const run: RunState = await startRun(initial, engine, control);
  const { attempts, log } = witness;
  return { run, attempts, prompts, log, missing: answers.missing, endless: stop.signal.aborted };
}

/** No folder is there, and each that a transition names is found. */
const PRETENDED_FOLDER = path.resolve("/test");

const NOTHING_LEFT: Engine["orphans"] = {
  find: () => Promise.resolve([]),
  end: () => Promise.resolve({ ended: [], remaining: [] }),
  endStep: () => Promise.resolve({ ended: [], remaining: [] }),
};

function numbered(): Engine["ids"] {
  let sessions = 0;
  return {
    session: () => {
      sessions += 1;
      return `session-${String(sessions)}`;
    },
  };
}

function timerOf(clock: VirtualClock, ms: number, callback: () => void): () => void {
  const off = new AbortController();
  void clock.sleep(ms, off.signal).then(() => {
    if (!off.signal.aborted) callback();
  });
  return () => {
    off.abort();
  };
}

async function openReal(
  folder: string,
  { found, scopeIn }: TestedWorkflow,
  caller: Caller,
): Promise<Real> {
  const { processes } = await caller.system();
  const groups = path.join(folder, "groups");
  const launchDir = path.join(folder, "work");
  await mkdir(launchDir);
  const archive = { packed: path.join(folder, "packed"), unpacked: path.join(folder, "unpacked") };
  return {
    scope: scopeIn(await found.place({ archive })),
    folders: systemFolders,
    orphans: processes.orphans(groups, process.pid),
    launchDir,
    scripts: scriptExecutor({
      env: inheritedByScripts(caller.env),
      platform: systemPlatform(),
      tempDir: () => Promise.resolve(folder),
      start: processes.recordSteps(processes.start, groups),
    }),
  };
}
