import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Answer } from "../../core/machine/answer.ts";
import type { Question } from "../../core/machine/question.ts";
import type { RunSettings, RunState } from "../../core/machine/run-state.ts";
import type { Control, Engine } from "../../engine/engine.ts";
import { startRun } from "../../engine/start.ts";
import { executorByKind } from "../../executors/by-kind.ts";
import { promptExecutor } from "../../executors/prompt.ts";
import { scriptExecutor } from "../../executors/script.ts";
import { noDebug } from "../../observers/debug-files.ts";
import { type Invocation, SIMULATION } from "../../ports/backend.ts";
import type { Executor } from "../../ports/executor.ts";
import type { StartProcess } from "../../ports/process.ts";
import type { Scope } from "../../ports/scope.ts";
import { openLibrary } from "../../scopes/library.ts";
import { fitting, SIMULATED } from "../../simulation/answers.ts";
import { scriptedBackend } from "../../simulation/backend.ts";
import { Answers } from "../../testing/answers.ts";
import { givenScripts } from "../../testing/given-scripts.ts";
import { type Happened, Witness } from "../../testing/happened.ts";
import type { Test } from "../../testing/test-file.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { Caller } from "../caller.ts";
import { inheritedByScripts } from "./inherited.ts";
import { newToken, systemFolders, systemPlatform } from "./system.ts";
import type { TestedWorkflow } from "./tested-workflow.ts";

/** What the run of a test begins with, besides what its test says. */
export interface TestBeginning {
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
  beginning: TestBeginning,
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
interface Real extends Pick<Engine, "leftovers" | "folders"> {
  readonly scope: Scope;
  readonly scripts: Executor;
  readonly launchDir: string;
}

async function perform(
  test: Test,
  { scope, found }: TestedWorkflow,
  { settings, vars, start }: TestBeginning,
  real: Real | null,
  copies: string,
): Promise<Happened> {
  const clock = new VirtualClock();
  const answers = new Answers(test);
  const prompts = new Map<number, string>();
  const stop = new AbortController();
  const witness = new Witness((attempts) => {
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
    answers: { take: (open, now) => Promise.resolve(open.flatMap((asked) => said(asked, now))) },
    openings: { list: () => Promise.resolve([]), forget: () => Promise.resolve() },
    lastTold: () => Promise.resolve(0),
    clock,
    ids: numbered(),
    folders: real?.folders ?? { find: (base, name) => Promise.resolve(path.resolve(base, name)) },
    leftovers: real?.leftovers ?? NOTHING_LEFT,
    backend,
    platform,
    recorder: () => noDebug,
    dice: () => 0.5,
    lostSession: "fail",
  };
  const control: Control = {
    interrupt: stop.signal,
    kill: stop.signal,
    onRetryNow: () => undefined,
    onWake: () => undefined,
    onStopAfterSteps: () => undefined,
    onAnswer: () => undefined,
    onVisit: () => undefined,
    attended: () => false,
    parks: () => false,
  };
  const begun = {
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
  const run: RunState = await startRun(begun, engine, control);
  const { attempts, log } = witness;
  return { run, attempts, prompts, log, missing: answers.missing, endless: stop.signal.aborted };
}

/** No folder is there, and each that a transition names is found. */
const PRETENDED_FOLDER = path.resolve("/test");

const NOTHING_LEFT: Engine["leftovers"] = {
  find: () => Promise.resolve([]),
  end: () => Promise.resolve({ ended: [], left: [] }),
  endStep: () => Promise.resolve({ ended: [], left: [] }),
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
    leftovers: processes.leftovers(groups, process.pid),
    launchDir,
    scripts: scriptExecutor({
      env: inheritedByScripts(caller.env),
      platform: systemPlatform(),
      tempDir: () => Promise.resolve(folder),
      start: processes.recording(processes.start, groups),
    }),
  };
}
