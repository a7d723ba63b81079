import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { matchingAnswer, SIMULATED } from "../clients/simulation/answers.ts";
import { scriptedBackend } from "../clients/simulation/backend.ts";
import type { Control, Engine } from "../engine/engine.ts";
import { executorByKind } from "../engine/executors/by-kind.ts";
import { promptExecutor } from "../engine/executors/prompt.ts";
import { scriptExecutor } from "../engine/executors/script.ts";
import { type Backend, type Invocation, onlyBackend, SIMULATION } from "../engine/ports/backend.ts";
import type { Executor } from "../engine/ports/executor.ts";
import type { StartProcess } from "../engine/ports/process.ts";
import type { Scope } from "../engine/ports/scope.ts";
import { startRun } from "../engine/start.ts";
import { noDebug } from "../log/debug-files.ts";
import type { Answer } from "../machine/model/answer.ts";
import type { Question } from "../machine/moves/question.ts";
import { openLibrary } from "../scopes/library.ts";
import type { Caller } from "../wire/caller.ts";
import { inheritedByScripts } from "../wire/engine/inherited.ts";
import { anyFolder, newToken, systemFolders, systemPlatform } from "../wire/system/system.ts";
import { scopeIn } from "../wire/workflow.ts";
import { type TestedWorkflow, type TestStart, testedStart } from "./tested-workflow.ts";
import { Answers } from "./testing/answers.ts";
import { givenScripts } from "./testing/given-scripts.ts";
import { type Happened, RunRecorder } from "./testing/happened.ts";
import type { Test } from "./testing/test-file.ts";
import { VirtualClock } from "./testing/virtual-clock.ts";

/**
 * Runs one test on the real engine with the scripted replies of the test, without files and
 * processes, in virtual time. `runScripts`: other scripts really run, in a temporary folder.
 * Rejects with a RaymondError if the run cannot start.
 */
export async function performTest(
  test: Test,
  workflow: TestedWorkflow,
  caller: Caller,
  runScripts: boolean,
): Promise<Happened> {
  const start = testedStart(test, workflow);
  const folder = runScripts ? await mkdtemp(path.join(tmpdir(), "raymond-test-")) : null;
  // Created if the test enters another workflow that is a single file.
  const copies = path.join(tmpdir(), `raymond-test-${randomUUID()}`);
  try {
    const real = folder === null ? null : await openReal(folder, workflow, caller);
    return await perform({ test, workflow, start, real, copies });
  } finally {
    await rm(copies, { recursive: true, force: true });
    if (folder !== null) await rm(folder, { recursive: true, force: true });
  }
}

interface TestRun {
  readonly test: Test;
  readonly workflow: TestedWorkflow;
  readonly start: TestStart;
  readonly real: Real | null;
  /** Folder for copies of other workflows. */
  readonly copies: string;
}

/** Replacements for tests that run scripts. */
interface Real extends Pick<Engine, "orphans" | "folders"> {
  readonly scope: Scope;
  readonly scripts: Executor;
  readonly launchDir: string;
}

async function perform(run: TestRun): Promise<Happened> {
  const { test, workflow, start, real } = run;
  const { kind, path: named } = workflow.found;
  const clock = new VirtualClock();
  const answers = new Answers(test);
  const prompts = new Map<number, string>();
  const stop = new AbortController();
  const recorder = new RunRecorder((attempts) => {
    if (attempts > test.maxSteps) stop.abort("SIGINT");
  });
  const find = ({ state, prompt, token }: Invocation) => {
    const process = Number(token.slice(token.lastIndexOf(".") + 1));
    prompts.set(process, prompt);
    const attempt = recorder.attempts.findLast((one) => one.process === process);
    return answers.reply(attempt?.agent ?? "", state, prompt);
  };
  const backend = scriptedBackend(test.file, find, clock.pause, clock.elapsed);
  const initial = {
    id: "test",
    workflow: { kind, path: named, entry: start.start },
    scopeDir: (real?.scope ?? workflow.scope).dir,
    launchDir: real?.launchDir ?? PRETENDED_FOLDER,
    at: clock.now(),
    settings: start.settings,
    backend: SIMULATION,
    token: real === null ? "test" : newToken(),
    input: test.input,
    attributes: start.vars,
  } as const;
  const engine = engineOf(run, { clock, answers, recorder, backend });
  const ended = await startRun(initial, engine, controlBy(stop.signal));
  const { attempts, log } = recorder;
  const { missing } = answers;
  return { run: ended, attempts, prompts, log, missing, endless: stop.signal.aborted };
}

interface Scripted {
  readonly backend: Backend;
  readonly clock: VirtualClock;
  readonly answers: Answers;
  readonly recorder: RunRecorder;
}

function engineOf(
  { workflow, start, real, copies }: TestRun,
  { clock, answers, recorder, backend }: Scripted,
): Engine {
  const { kind, path: named } = workflow.found;
  const platform = systemPlatform();
  const open = (startProcess: StartProcess) =>
    scriptExecutor({
      ...{ env: {}, platform, tempDir: null, start: startProcess },
      timer: (ms, callback) => timerOf(clock, ms, callback),
    });
  const executor = executorByKind({
    prompt: promptExecutor(onlyBackend(backend), clock.elapsed),
    script: givenScripts(answers, clock, open, real?.scripts ?? null),
  });
  const answersTo = (question: Question, at: number): readonly Answer[] => {
    const { agent, number, from } = question;
    const text = answers.answerTo(agent, from);
    const answer = text === null ? null : matchingAnswer(question, text);
    return answer === null ? [] : [{ agent, number, answer, by: SIMULATED, at }];
  };
  return {
    workflows: openLibrary({
      started: {
        ...{ kind, path: named, scope: real?.scope ?? workflow.scope },
        manifest: workflow.found.manifest,
      },
      ...{ workflowPath: start.settings.workflowPath, platform, copies },
    }),
    executor: { execute: (...step) => clock.busy(() => executor.execute(...step)) },
    store: { save: () => Promise.resolve() },
    journal: recorder,
    observer: recorder,
    answers: {
      collect: (open, now) => Promise.resolve(open.flatMap((asked) => answersTo(asked, now))),
    },
    manualSessions: { list: () => Promise.resolve([]), remove: () => Promise.resolve() },
    lastEventSeq: () => Promise.resolve(0),
    clock,
    ids: numberedSessions(),
    folders: real?.folders ?? anyFolder,
    orphans: real?.orphans ?? NO_ORPHANS,
    backends: onlyBackend(backend),
    platform,
    recorder: () => noDebug,
    random: () => 0.5,
    lostSession: "fail",
  };
}

/** This folder does not exist. In a test every folder that a transition names is found. */
const PRETENDED_FOLDER = path.resolve("/test");

const NO_ORPHANS: Engine["orphans"] = {
  find: () => Promise.resolve([]),
  end: () => Promise.resolve({ ended: [], remaining: [] }),
  endStep: () => Promise.resolve({ ended: [], remaining: [] }),
};

function controlBy(stop: AbortSignal): Control {
  const ignore = () => undefined;
  return {
    ...{ interrupt: stop, kill: stop, onRetryNow: ignore, onWake: ignore },
    ...{ onStopAfterSteps: ignore, onAnswer: ignore, onManualSession: ignore },
    ...{ onSetResult: ignore, onControlled: ignore },
    attended: () => false,
    parksWhenIdle: () => false,
  };
}

function numberedSessions(): Engine["ids"] {
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

async function openReal(folder: string, { found }: TestedWorkflow, caller: Caller): Promise<Real> {
  const { processes } = await caller.system();
  const groups = path.join(folder, "groups");
  const launchDir = path.join(folder, "work");
  await mkdir(launchDir);
  const archive = { packed: path.join(folder, "packed"), unpacked: path.join(folder, "unpacked") };
  return {
    scope: scopeIn(found.kind, await found.place({ archive })),
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
