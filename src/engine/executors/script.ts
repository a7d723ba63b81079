import { errorCode } from "../../language/basics/error-code.ts";
import type { Fault } from "../../language/protocol/fault.ts";
import { OutputScanner } from "../../language/protocol/scan/scan.ts";
import type { Platform } from "../../language/workflow/files/platform.ts";
import { batchFault } from "../../language/workflow/resolve.ts";
import { NO_SPEND } from "../../machine/spend/spend.ts";
import { type Failure, failure } from "../../machine/step/failure.ts";
import { failedAttempt, type StepOutcome } from "../../machine/step/outcome.ts";
import type { Step } from "../../machine/step/step.ts";
import { Tail } from "../../process/children/tail.ts";
import type { Cancellation } from "../ports/cancellation.ts";
import type { Executor } from "../ports/executor.ts";
import type { ProcessEnd, StartProcess } from "../ports/process.ts";
import type { StepListener, StepRecorder } from "../ports/step-events.ts";
import { type Environment, joinEnvironments, scriptEnvironment } from "./environment.ts";
import { OutputReporter } from "./output-reporter.ts";
import { type ResultFile, writeResultFile } from "./result-file.ts";
import { scriptCommand } from "./script-command.ts";
import {
  describeEnd,
  scriptFailure,
  scriptTextHint,
  startFailure,
  wasKilled,
} from "./script-failure.ts";

/** Dependencies of the script executor. */
export interface ScriptOptions {
  /** The inherited environment, from `baseEnvironment`. */
  readonly env: Environment;
  readonly platform: Platform;
  /**
   * Creates a private folder for payload files; called only if there is a payload. Null: payload
   * files are not needed.
   */
  readonly tempDir: (() => Promise<string>) | null;
  readonly start: StartProcess;
  /**
   * Calls back after `ms`; the returned function cancels. Real time by default; workflow tests use
   * virtual time.
   */
  readonly timer?: (ms: number, callback: () => void) => () => void;
}

/**
 * Runs script states (docs/authoring.md, "Scripts"). Scans the output while it streams, without
 * keeping it. Exit code 0 is an output; anything else is a failure with the last lines of standard
 * error.
 */
export function scriptExecutor(options: ScriptOptions): Executor {
  const { start, timer = startTimer } = options;
  return {
    async execute(step, cancellation, listener, recorder) {
      // The fork checks this too, but an agent can reach a batch file later.
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

/** Limits of standard error in a failure message. */
const STDERR_BYTES = 2 * 1024;
const STDERR_LINES = 10;

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
  const stderr = new Tail(STDERR_BYTES);
  const both = step.gated === null ? null : new Tail(GATE_BYTES);
  const reporters = {
    stdout: new OutputReporter((text) => {
      listener.output("stdout", text);
    }),
    stderr: new OutputReporter((text) => {
      listener.output("stderr", text);
    }),
  };
  const limit: { passed: boolean } = { passed: false };
  const onTimeout = () => {
    // If the run is already stopping, the script did not time out.
    limit.passed = !run.cancellation.interrupt.aborted && !run.cancellation.kill.aborted;
    script.end();
  };
  // Node runs timers before it reads pipes. If raymond was suspended or busy, the end of the script
  // is processed first.
  const atLimit = () => {
    setImmediate(onTimeout);
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
    // Starts the timer with the process: time in which raymond was suspended before does not count.
    onStart() {
      if (run.limitMs !== null) stopTimer = run.timer(run.limitMs, atLimit);
    },
    onStdout(chunk) {
      recorder.stdout(chunk);
      both?.push(chunk);
      const text = decoder.decode(chunk, { stream: true });
      if (both === null) scanner.push(text);
      reporters.stdout.push(text);
    },
    onStderr(chunk) {
      recorder.stderr(chunk);
      both?.push(chunk);
      stderr.push(chunk);
      reporters.stderr.push(errors.decode(chunk, { stream: true }));
    },
    token: step.token,
    cancellation: run.cancellation,
  });
  const end = await script.done.finally(() => {
    stopTimer();
  });
  record(end, recorder);
  if (end.survivors !== undefined) listener.warning(end.survivors);
  reporters.stdout.end();
  reporters.stderr.end();

  if (end.spawnError !== null) {
    return failedAttempt(await startFailure(step, command, end.spawnError), measured(end));
  }
  const limitMs = end.endedByRaymond && limit.passed ? run.limitMs : null;
  if (both !== null && !wasKilled(end) && (!end.endedByRaymond || limitMs !== null)) {
    return gateOutcome(step, end, limitMs, both.toString());
  }
  if (end.endedByRaymond || end.exitCode !== 0) {
    const why = scriptFailure(step.file.name, end, limitMs, stderr.lines(STDERR_LINES));
    const hint = end.endedByRaymond ? null : await scriptTextHint(step.path);
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

/** Limit of a gate's output for the model, in bytes. */
const GATE_BYTES = 16 * 1024;

/** The outcome of a gate. Tags in its output are plain text. */
function gateOutcome(
  step: Step,
  end: ProcessEnd,
  limitMs: number | null,
  output: string,
): StepOutcome {
  const passed = !end.endedByRaymond && end.exitCode === 0;
  const problem = passed ? null : `The gate ${step.file.name} ${describeEnd(end, limitMs)}.`;
  // The first character may have been cut in two.
  const whole = output.replace(/^\uFFFD+/, "");
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
    ...(end.endedByRaymond ? { ended_by_raymond: true } : {}),
    ...(end.leftOpen ? { left_open: true } : {}),
    ...(end.spawnError === null ? {} : { spawn_error: end.spawnError }),
  });
}

function unfitFor({ file }: Step, { message }: Fault): Failure {
  return failure(
    "deterministic",
    `The script ${file.name} was not started. ${message}`,
    "cmd.exe would execute part of that value. Pass it in a file, or as the payload, which is in RAYMOND_RESULT_FILE.",
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
      `The script ${step.file.name} could not be started: cannot write its result file (${error.message}).`,
      "Free disk space or check the permissions of the folder, then resume the run.",
    ),
  );
}

/** The timeout of a script, ms; its own limit overrides the run's. Null: no limit. */
function limitOf(step: Step): number | null {
  if (step.file.kind !== "script") throw new Error(`${step.file.name} is not a script`);
  const ms = step.file.timeoutMs ?? step.settings.scriptTimeoutMs;
  return ms > 0 ? ms : null;
}

function startTimer(ms: number, callback: () => void): () => void {
  let left = ms;
  let timer: NodeJS.Timeout;
  const arm = (): void => {
    // Node's timers hold 31 bits and fire at once beyond that.
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
