import { errorCode } from "../core/error-code.ts";
import { type Failure, failure } from "../core/machine/failure.ts";
import { failedAttempt, type StepOutcome } from "../core/machine/outcome.ts";
import { NO_SPEND } from "../core/machine/spend.ts";
import type { Step } from "../core/machine/step.ts";
import type { Fault } from "../core/protocol/fault.ts";
import { OutputScanner } from "../core/protocol/scan.ts";
import type { Platform } from "../core/workflow/platform.ts";
import { batchFault } from "../core/workflow/resolve.ts";
import type { Cancellation } from "../ports/cancellation.ts";
import type { Executor } from "../ports/executor.ts";
import type { ProcessEnd, StartProcess } from "../ports/process.ts";
import type { StepListener, StepRecorder } from "../ports/step-events.ts";
import { Tail } from "../process/tail.ts";
import { type Environment, joinEnvironments, scriptEnvironment } from "./environment.ts";
import { type ResultFile, writeResultFile } from "./result-file.ts";
import { scriptCommand } from "./script-command.ts";
import { endingOf, failureOf, scriptTextHint, unstarted, wasKilled } from "./script-failure.ts";
import { ToldOutput } from "./told-output.ts";

/** What running scripts needs from the world. */
export interface ScriptOptions {
  /** What scripts inherit: `baseEnvironment` of the launcher's. */
  readonly env: Environment;
  readonly platform: Platform;
  /** A private folder for payload files; asked for only when there is a payload. Null: nobody will read one. */
  readonly tempDir: (() => Promise<string>) | null;
  readonly start: StartProcess;
  /** Calls back after so many ms, and returns what calls it off: in real time, unless a test of a workflow says otherwise. */
  readonly timer?: (ms: number, callback: () => void) => () => void;
}

/**
 * Runs script states (docs/authoring.md, "Scripts"): the output is scanned as it
 * streams and never held. Exit code 0 is an output, whatever it says; all else
 * is a failure that names the script, how it ended and its last words.
 */
export function scriptExecutor(options: ScriptOptions): Executor {
  const { start, timer = startTimer } = options;
  return {
    async execute(step, cancellation, listener, recorder) {
      // The fork looks as well, but a worker can come to a batch file later.
      const unfit = batchFault(step.file.name, step.agent.attributes);
      if (unfit !== null) return failedAttempt(unfitFor(step, unfit));
      let payload: ResultFile | null = null;
      try {
        payload = await writePayload(step, options.tempDir);
      } catch (error) {
        return payloadFailure(step, error);
      }
      try {
        const added = scriptEnvironment(step, payload?.path ?? null);
        const env = joinEnvironments(options.env, added, options.platform);
        const limitMs = limitOf(step);
        return await runScript({
          ...{ step, cancellation, listener, recorder },
          ...{ added, env, limitMs, start, timer },
        });
      } finally {
        await payload?.remove();
      }
    },
  };
}

/** Of standard error a failure tells so much. */
const TOLD_BYTES = 2 * 1024;
const TOLD_LINES = 10;

interface ScriptRun {
  readonly step: Step;
  readonly cancellation: Cancellation;
  readonly listener: Pick<StepListener, "output" | "warning">;
  readonly recorder: StepRecorder;
  readonly added: Environment;
  readonly env: Environment;
  /** ms; null: no limit. */
  readonly limitMs: number | null;
  readonly start: StartProcess;
  readonly timer: (ms: number, callback: () => void) => () => void;
}

async function runScript(run: ScriptRun): Promise<StepOutcome> {
  const { step, listener, recorder } = run;
  const { command, args, verbatim } = scriptCommand(step.path, step.platform);
  recorder.meta({ argv: [command, ...args], cwd: step.cwd, environment: run.added });
  const scanner = new OutputScanner();
  const decoder = new TextDecoder();
  const errors = new TextDecoder();
  const stderr = new Tail(TOLD_BYTES);
  const both = step.gated === null ? null : new Tail(GATE_BYTES);
  const told = {
    stdout: new ToldOutput((text) => {
      listener.output("stdout", text);
    }),
    stderr: new ToldOutput((text) => {
      listener.output("stderr", text);
    }),
  };
  const limit: { passed: boolean } = { passed: false };
  const late = () => {
    // Whoever came first is the reason: a run that is being stopped is no slow script.
    limit.passed = !run.cancellation.interrupt.aborted && !run.cancellation.kill.aborted;
    script.end();
  };
  // Timers come before pipes in a turn of Node's loop: of a script that has ended while raymond was stopped,
  // or had much to do, that is heard first.
  const atLimit = () => {
    setImmediate(late);
  };
  let stopTimer = (): void => undefined;
  const script = run.start({
    command,
    args,
    ...(verbatim ? { verbatim } : {}),
    cwd: step.cwd,
    env: run.env,
    input: null,
    reopenable: true,
    // Not before: where raymond was stopped in between, a script that has not begun was none that took long.
    onStart() {
      if (run.limitMs !== null) stopTimer = run.timer(run.limitMs, atLimit);
    },
    onStdout(chunk) {
      recorder.stdout(chunk);
      both?.push(chunk);
      const text = decoder.decode(chunk, { stream: true });
      if (both === null) scanner.push(text);
      told.stdout.push(text);
    },
    onStderr(chunk) {
      recorder.stderr(chunk);
      both?.push(chunk);
      stderr.push(chunk);
      told.stderr.push(errors.decode(chunk, { stream: true }));
    },
    token: step.token,
    cancellation: run.cancellation,
  });
  const end = await script.done.finally(() => {
    stopTimer();
  });
  record(end, recorder);
  if (end.mayLive !== undefined) listener.warning(end.mayLive);
  told.stdout.end();
  told.stderr.end();

  if (end.spawnError !== null) {
    return failedAttempt(await unstarted(step, command, end.spawnError), measured(end));
  }
  const limitMs = end.ended && limit.passed ? run.limitMs : null;
  if (both !== null && !wasKilled(end) && (!end.ended || limitMs !== null)) {
    return checked(step, end, limitMs, both.toString());
  }
  if (end.ended || end.exitCode !== 0) {
    const why = failureOf(step.file.name, end, limitMs, stderr.lines(TOLD_LINES));
    const hint = end.ended ? null : await scriptTextHint(step.path);
    return failedAttempt({ ...why, hint: hint ?? why.hint }, measured(end));
  }
  scanner.push(decoder.decode());
  return {
    kind: "output",
    reading: scanner.end(),
    spoke: true,
    session: null,
    capped: false,
    denials: [],
    spend: NO_SPEND,
    durationMs: end.durationMs,
    exitCode: end.exitCode,
  };
}

/** Of what a gate printed a model reads so much. */
const GATE_BYTES = 16 * 1024;

/** A gate that has ended: a tag in its output is text like any other. */
function checked(step: Step, end: ProcessEnd, limitMs: number | null, said: string): StepOutcome {
  const passed = !end.ended && end.exitCode === 0;
  const problem = passed ? null : `The gate ${step.file.name} ${endingOf(end, limitMs)}.`;
  // A character that was cut in two at the beginning.
  const whole = said.replace(/^\uFFFD+/, "");
  return {
    kind: "checked",
    problem,
    said: passed ? "" : whole,
    session: null,
    spend: NO_SPEND,
    ...measured(end),
  };
}

function measured({ durationMs, exitCode }: ProcessEnd) {
  return { durationMs, exitCode };
}

function record(end: ProcessEnd, recorder: StepRecorder): void {
  recorder.meta({
    exit_code: end.exitCode,
    signal: end.signal,
    duration_ms: Math.round(end.durationMs),
    ...(end.ended ? { ended_by_raymond: true } : {}),
    ...(end.leftOpen ? { left_open: true } : {}),
    ...(end.spawnError === null ? {} : { spawn_error: end.spawnError }),
  });
}

function unfitFor({ file }: Step, { message }: Fault): Failure {
  return failure(
    "deterministic",
    `The script ${file.name} was not started. ${message}`,
    "cmd.exe would execute a part of that value. Hand it over in a file, or as the payload, which is in RAYMOND_RESULT_FILE.",
  );
}

async function writePayload(
  step: Step,
  tempDir: ScriptOptions["tempDir"],
): Promise<ResultFile | null> {
  const { pendingResult } = step.agent;
  if (pendingResult === null || tempDir === null) return null;
  return writeResultFile(await tempDir(), pendingResult);
}

function payloadFailure(step: Step, error: unknown): StepOutcome {
  if (!(error instanceof Error) || errorCode(error) === null) throw error;
  return failedAttempt(
    failure(
      "deterministic",
      `The script ${step.file.name} could not be started: the file for its pending result could not be written (${error.message}).`,
      "Make room on the disk, or check that the folder may be written, then resume the run.",
    ),
  );
}

/** The time that a script has, ms: its own limit goes before the run's; null: no limit. */
function limitOf(step: Step): number | null {
  if (step.file.kind !== "script") throw new Error(`${step.file.name} is not a script`);
  const ms = step.file.timeoutMs ?? step.settings.scriptTimeoutMs;
  return ms > 0 ? ms : null;
}

/** Calls back after `ms`, and returns what calls it off. */
function startTimer(ms: number, callback: () => void): () => void {
  let left = ms;
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    // Node's timers hold 31 bits and fire at once beyond them.
    const part = Math.min(left, MAX_TIMER_MS);
    left -= part;
    timer = setTimeout(left > 0 ? arm : callback, part);
  };
  arm();
  return () => {
    clearTimeout(timer);
  };
}

const MAX_TIMER_MS = 2 ** 31 - 1;
