import { randomBytes } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../language/basics/error-code.ts";
import type { Fault } from "../../language/protocol/fault.ts";
import type { Platform } from "../../language/workflow/files/platform.ts";
import { batchFault } from "../../language/workflow/resolve.ts";
import type { Step } from "../../machine/decide/step.ts";
import { type Failure, failure } from "../../machine/model/failure.ts";
import { failedAttempt, type StepOutcome } from "../../machine/model/outcome.ts";
import type { Cancellation } from "../ports/cancellation.ts";
import type { Executor } from "../ports/executor.ts";
import type { ProcessCall, ProcessEnd, StartProcess, UnixUser } from "../ports/process.ts";
import type { StepListener, StepRecorder } from "../ports/step-events.ts";
import { type ContainedCall, contained, imageOf } from "./container.ts";
import { ContainerOutput } from "./container-output.ts";
import {
  type Environment,
  environmentOf,
  joinEnvironments,
  scriptEnvironment,
} from "./environment.ts";
import { sandboxed } from "./sandbox.ts";
import { scriptCommand } from "./script-command.ts";
import { startFailure } from "./script-failure.ts";
import { measured, ScriptOutput } from "./script-output.ts";

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
  /** The user that a worker starts steps as; absent: that of raymond. */
  readonly stepUser?: UnixUser | null;
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
      let payload: string | null = null;
      try {
        payload = await writePayload(step, options.tempDir);
      } catch (error) {
        return payloadFailure(step, error);
      }
      try {
        const added = scriptEnvironment(step, payload);
        const { platform } = options;
        const passed = environmentOf(step.environment, options.env, platform);
        const env = joinEnvironments(passed, added, platform);
        const limitMs = limitOf(step);
        const called = callOf(step, added, env, options);
        if (!called.ok) return failedAttempt(called.failure);
        return await runScript({
          ...{ step, cancellation, listener, recorder },
          ...{ added, call: called.call, limitMs, start, timer },
        });
      } finally {
        await removePayload(payload);
      }
    },
  };
}

interface ScriptRun {
  readonly step: Step;
  readonly cancellation: Cancellation;
  readonly listener: Pick<StepListener, "output" | "warning">;
  readonly recorder: StepRecorder;
  readonly added: Environment;
  readonly call: ScriptCall;
  /** ms; null: no limit. */
  readonly limitMs: number | null;
  readonly start: StartProcess;
  readonly timer: (ms: number, callback: () => void) => () => void;
}

/** The process of a script, or of the program that runs its container. */
interface ScriptCall
  extends Pick<ProcessCall, "command" | "args" | "env" | "input" | "verbatim" | "container"> {
  readonly contained: ContainedCall | null;
}

type Called =
  | { readonly ok: true; readonly call: ScriptCall }
  | { readonly ok: false; readonly failure: Failure };

/** In the container or the sandbox of the step, or in neither. */
function callOf(step: Step, added: Environment, env: Environment, options: ScriptOptions): Called {
  const image = imageOf(step);
  if (image !== null) {
    const { env: inherited, stepUser = null } = options;
    const inside = contained(step, image, { inherited, added, stepUser });
    if (!inside.ok) return inside;
    const { command, args, env: own, input, container } = inside.call;
    const call = { command, args, env: own, input, container, contained: inside.call };
    return { ok: true, call };
  }
  const inside = sandboxed(step, scriptCommand(step.path, step.platform), env);
  if (!inside.ok) return inside;
  const { command, args, verbatim } = inside.command;
  return {
    ok: true,
    call: { command, args, env, input: null, ...(verbatim ? { verbatim } : {}), contained: null },
  };
}

async function runScript(run: ScriptRun): Promise<StepOutcome> {
  const { step, listener, recorder, cancellation } = run;
  const { contained: inside, ...call } = run.call;
  const { command, args } = call;
  recorder.meta({ argv: [command, ...args], cwd: step.cwd, environment: run.added });
  const output = new ScriptOutput(step, listener, recorder);
  const timeout: { isOver: boolean } = { isOver: false };
  const onTimeout = () => {
    // If the run is already stopping, the script did not time out.
    timeout.isOver = !cancellation.interrupt.aborted && !cancellation.kill.aborted;
    script.end();
  };
  let stopTimer = (): void => undefined;
  const stderr = (chunk: Buffer) => {
    output.stderr(chunk);
  };
  const container = inside === null ? null : new ContainerOutput(inside, stderr);
  const script = run.start({
    ...call,
    cwd: step.cwd,
    reopenable: true,
    // Starts the timer with the process: time in which raymond was suspended before does not count.
    onStart() {
      // Node runs timers before it reads pipes. If raymond was suspended or busy, the end of the
      // script is processed first.
      const atLimit = () => {
        setImmediate(onTimeout);
      };
      if (run.limitMs !== null) stopTimer = run.timer(run.limitMs, atLimit);
    },
    onStdout: (chunk) => {
      output.stdout(chunk);
    },
    onStderr: (chunk) => {
      if (container === null) stderr(chunk);
      else container.push(chunk);
    },
    token: step.token,
    cancellation,
  });
  const ended = await script.done.finally(() => {
    stopTimer();
  });
  container?.end();
  const end = container?.endOf(ended) ?? ended;
  record(end, recorder);
  if (end.survivors !== undefined) listener.warning(end.survivors);
  output.end();
  if (end.spawnError !== null) {
    return failedAttempt(await startFailure(step, command, end.spawnError), measured(end));
  }
  const unstarted = container?.failure(step, end, output.errors) ?? null;
  if (unstarted !== null) return failedAttempt(unstarted, measured(end));
  return output.outcome(end, end.endedByRaymond && timeout.isOver ? run.limitMs : null);
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

/**
 * Writes the pending payload to a private file, `RAYMOND_RESULT_FILE`. Null: no file is needed.
 * Rejects as `writeFile` does.
 */
async function writePayload(step: Step, tempDir: ScriptOptions["tempDir"]): Promise<string | null> {
  const { pendingResult } = step.agent;
  if (pendingResult === null || tempDir === null) return null;
  const file = join(await tempDir(), `result-${randomBytes(9).toString("hex")}.txt`);
  try {
    await writeFile(file, pendingResult, { mode: 0o600, flag: "wx" });
  } catch (error) {
    await removePayload(file);
    throw error;
  }
  return file;
}

/** Never rejects: a file that remains is no reason to fail a step. */
async function removePayload(file: string | null): Promise<void> {
  if (file !== null) await rm(file, { force: true }).catch(() => undefined);
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
