import { randomUUID } from "node:crypto";
import type { Event, EventType } from "../core/machine/event.ts";
import type { RunState } from "../core/machine/run-state.ts";
import type { Platform } from "../core/workflow/platform.ts";
import type { Observer } from "../ports/observer.ts";
import type { StartProcess } from "../ports/process.ts";
import { type ProcessEnd, TOKEN_VARIABLE } from "../ports/process.ts";
import { settlesWithin } from "../process/settles-within.ts";
import { Tail } from "../process/tail.ts";
import { encodeEvent, eventLine } from "./event-json.ts";
import { shellCall } from "./shell-call.ts";

export interface NotifyOptions {
  /** Of the user: for the system's shell. */
  readonly command: string;
  /** What the command inherits. */
  readonly env: Readonly<Record<string, string>>;
  readonly platform: Platform;
  readonly start: StartProcess;
  readonly clock: { now(): number };
  /** Called at most once, when the command fails or takes too long. */
  warn(message: string): void;
  /** What one command may take, ms; 10 s without. */
  readonly eachMs?: number;
  /** What is left may take so long once the run has ended, ms; 15 s without. */
  readonly closeMs?: number;
}

/** What is worth waking somebody for. */
const NEWS: ReadonlySet<EventType> = new Set([
  "run.waiting",
  "run.woke",
  "budget.near",
  "agent.failed",
  "agent.joined",
  "agent.asked",
  "run.ended",
] satisfies readonly EventType[]);

/**
 * A failure that ends the run is told by its end: nobody should be woken twice for
 * one thing. Nor for a join for which all have come in time.
 */
function isNews(event: Event, run: RunState): boolean {
  if (event.type === "agent.joined") return event.late;
  const live = run.status === "running" || run.status === "waiting";
  return NEWS.has(event.type) && (live || event.type !== "agent.failed");
}

/**
 * Tells news by a command of the user (docs/configuration.md): it gets one
 * event as JSON on standard input. N1: one command at a time, in order. N2:
 * each is bounded in time, and so is what is left at the end: then it is
 * killed, with all that it has started. N3: whatever it does, the run goes on
 * as if it were not there, and the user gets one warning. N4: it carries a
 * token of its own and not the run's, so the sweep at the end of the run does
 * not take the one that is just telling of that end for a leftover.
 */
export function notifyObserver(options: NotifyOptions): Observer {
  const { eachMs = 10_000, closeMs = 15_000 } = options;
  const hurry = new AbortController();
  let queue: Promise<void> = Promise.resolve();
  let closed = false;
  let warned = false;

  const failed = (problem: string): void => {
    if (warned) return;
    warned = true;
    options.warn(`The command of --notify ${problem}. The run is not affected.`);
  };
  const tell = async (line: string, run: RunState): Promise<void> => {
    if (hurry.signal.aborted) {
      failed("took so long that the last events were not told");
      return;
    }
    const { done, kill, said } = startCommand(line, run, options);
    if (!(await settlesWithin(done, eachMs, hurry.signal))) {
      kill();
      await done;
      failed(`took too long and was ended (an event may take ${String(eachMs / 1000)} s)`);
      return;
    }
    const problem = problemOf(await done, said());
    if (problem !== null) failed(problem);
  };

  return {
    notify(event, run, seq) {
      if (closed || !isNews(event, run)) return;
      const line = newsLine(event, run, seq, options.clock.now());
      queue = queue
        .then(() => tell(line, run))
        .catch((error: unknown) => {
          failed(`could not be run: ${error instanceof Error ? error.message : String(error)}`);
        });
    },
    async close() {
      closed = true;
      if (!(await settlesWithin(queue, closeMs))) hurry.abort();
      await queue;
    },
  };
}

/** The encoding of docs/events.md, and whose event it is. */
function newsLine(event: Event, run: RunState, seq: number, at: number): string {
  const { type, ...rest } = encodeEvent(event);
  return `${eventLine({ type, run: run.id, workflow: run.workflow.path, ...rest }, seq, at)}\n`;
}

interface Command {
  readonly done: Promise<ProcessEnd>;
  readonly kill: () => void;
  /** The end of what it wrote to standard error. */
  readonly said: () => string;
}

function startCommand(line: string, run: RunState, options: NotifyOptions): Command {
  const { command, args, verbatim, env } = shellCall(options.command, options.platform);
  const token = `notify-${randomUUID()}`;
  const killed = new AbortController();
  const stderr = new Tail(SAID_BYTES);
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
    said: () => stderr.toString().trim(),
  };
}

/** What is wrong with how it ended; null when nothing is. */
function problemOf({ exitCode, signal, spawnError }: ProcessEnd, said: string): string | null {
  if (spawnError !== null) return `cannot be started: ${spawnError.message}`;
  if (exitCode === 0) return null;
  const how = signal === null ? `exit code ${String(exitCode)}` : signal;
  return `ended with ${how}${said === "" ? "" : `: ${said}`}`;
}

const SAID_BYTES = 500;
