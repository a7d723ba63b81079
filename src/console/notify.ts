import { randomUUID } from "node:crypto";
import type { Observer } from "../engine/ports/observer.ts";
import { type ProcessEnd, type StartProcess, TOKEN_VARIABLE } from "../engine/ports/process.ts";
import type { Platform } from "../language/workflow/files/platform.ts";
import { encodeEvent, eventLine } from "../log/codec/event-json.ts";
import type { Event, EventType } from "../machine/model/event.ts";
import type { RunState } from "../machine/model/run-state.ts";
import { Tail } from "../process/children/tail.ts";
import { cmdCall } from "../process/platform/windows-system.ts";
import { settlesWithin } from "../process/settles-within.ts";

export interface NotifyOptions {
  /** The command of `--notify`, for the system's shell. */
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
  readonly platform: Platform;
  readonly start: StartProcess;
  readonly clock: { now(): number };
  /** Called at most once, when the command fails or takes too long. */
  warn(message: string): void;
  /** Timeout of one command, ms (default: 10 s). */
  readonly eachMs?: number;
  /** Timeout of all remaining commands after the end of the run, ms (default: 15 s). */
  readonly closeMs?: number;
}

const NOTIFIED: ReadonlySet<EventType> = new Set([
  "run.waiting",
  "run.woke",
  "budget.near",
  "agent.failed",
  "agent.joined",
  "agent.asked",
  "run.ended",
] satisfies readonly EventType[]);

/** A failure that ends the run is reported by the end of the run, and a join only if it timed out. */
function isNotified(event: Event, run: RunState): boolean {
  if (event.type === "agent.joined") return event.late;
  const live = run.status === "running" || run.status === "waiting";
  return NOTIFIED.has(event.type) && (live || event.type !== "agent.failed");
}

/**
 * Runs the command of `--notify` for some events (docs/configuration.md), with the event as JSON on standard input.
 *
 * N1  One command at a time, in the order of the events.
 * N2  Each command has a timeout, and so has the queue at the end of the run. On timeout the command is killed with
 *     its descendants.
 * N3  A failure of the command does not affect the run. The user gets one warning.
 * N4  The command has a token of its own and not the run's, so that the cleanup of orphan processes at the end of the
 *     run does not kill the notification of that end.
 */
export function notifyObserver(options: NotifyOptions): Observer {
  const { eachMs = 10_000, closeMs = 15_000 } = options;
  const expired = new AbortController();
  let queue: Promise<void> = Promise.resolve();
  let closed = false;
  let warned = false;

  const failed = (problem: string): void => {
    if (warned) return;
    warned = true;
    options.warn(`The command of --notify ${problem}. The run is not affected.`);
  };
  const notify = async (line: string, run: RunState): Promise<void> => {
    if (expired.signal.aborted) {
      failed("was too slow for the last events, which were dropped");
      return;
    }
    const { done, kill, stderr } = startCommand(line, run, options);
    if (!(await settlesWithin(done, eachMs, expired.signal))) {
      kill();
      await done;
      failed(`timed out after ${String(eachMs / 1000)} s`);
      return;
    }
    const problem = problemOf(await done, stderr());
    if (problem !== null) failed(problem);
  };

  return {
    notify(event, run, seq) {
      if (closed || !isNotified(event, run)) return;
      const line = eventInput(event, run, seq, options.clock.now());
      queue = queue
        .then(() => notify(line, run))
        .catch((error: unknown) => {
          failed(`failed: ${error instanceof Error ? error.message : String(error)}`);
        });
    },
    async close() {
      closed = true;
      if (!(await settlesWithin(queue, closeMs))) expired.abort();
      await queue;
    },
  };
}

/** The encoding of docs/events.md, with the run. */
function eventInput(event: Event, run: RunState, seq: number, at: number): string {
  const { type, ...rest } = encodeEvent(event);
  return `${eventLine({ type, run: run.id, workflow: run.workflow.path, ...rest }, seq, at)}\n`;
}

/** How to run a command of the user in the system's shell. On Windows `cmd` has no reliable quoting, so a variable passes it. */
export function shellCall(command: string, platform: Platform) {
  return platform === "unix"
    ? { command: "/bin/sh", args: ["-c", command], verbatim: false, env: {} }
    : { ...cmdCall("%RAYMOND_NOTIFY%"), verbatim: true, env: { RAYMOND_NOTIFY: command } };
}

function startCommand(line: string, run: RunState, options: NotifyOptions) {
  const { command, args, verbatim, env } = shellCall(options.command, options.platform);
  const token = `notify-${randomUUID()}`;
  const killed = new AbortController();
  const stderr = new Tail(STDERR_BYTES);
  const { done } = options.start({
    command,
    args,
    verbatim,
    cwd: run.launchDir,
    env: { ...options.env, ...env, RAYMOND_WORKFLOW_ID: run.id, [TOKEN_VARIABLE]: token },
    input: line,
    onStdout: () => undefined,
    onStderr: (chunk) => {
      stderr.push(chunk);
    },
    token,
    cancellation: { interrupt: new AbortController().signal, kill: killed.signal },
  });
  return {
    done,
    kill: () => {
      killed.abort();
    },
    stderr: () => stderr.toString().trim(),
  };
}

/** Why the command failed; null if it succeeded. */
function problemOf({ exitCode, signal, spawnError }: ProcessEnd, stderr: string): string | null {
  if (spawnError !== null) return `did not start: ${spawnError.message}`;
  if (exitCode === 0) return null;
  const how = signal === null ? `exit code ${String(exitCode)}` : signal;
  return `failed with ${how}${stderr === "" ? "" : `: ${stderr}`}`;
}

const STDERR_BYTES = 500;
