import { stat } from "node:fs/promises";
import type { Invocation } from "../../engine/ports/backend.ts";
import type { Cancellation } from "../../engine/ports/cancellation.ts";
import {
  type ProcessEnd,
  type RunningProcess,
  type StartProcess,
  TOKEN_VARIABLE,
} from "../../engine/ports/process.ts";
import type { Redaction } from "../../engine/ports/redaction.ts";
import type { StepListener, StepRecorder } from "../../engine/ports/step-events.ts";
import { Tail } from "../../process/children/tail.ts";
import { endAfterAnswer } from "./after-answer.ts";
import type { CallEnding, Expired } from "./ending.ts";
import type { AgentStream, StreamSink } from "./output/agent-stream.ts";
import { isBeingUpdated } from "./started-clients.ts";
import { type Expiry, startWatchdog, type Timers, type Watchdog } from "./watchdog.ts";

export interface ClientParts {
  readonly timers: Timers;
  readonly start: StartProcess;
  /** Redacts the output before anything reads it. */
  readonly secrets: Redaction;
}

export interface CallProcess<S extends AgentStream> {
  readonly call: Invocation;
  readonly command: string;
  readonly args: readonly string[];
  /** Variables that raymond sets; recorded in the debug files. The token is added. */
  readonly set: Readonly<Record<string, string>>;
  /** Variables that the call inherits, which `set` overrides. */
  readonly inherited: Readonly<Record<string, string>>;
  /** Standard input. */
  readonly input: string;
  /** Creates the reader of the output. */
  readonly open: (sink: StreamSink) => S;
}

/** Time to exit after a result, ms (docs/claude.md, "Timeouts"). */
const EXIT_MS = 10_000;

const STDERR_BYTES = 8 * 1024;

/** Runs a client until its process has ended, with a watchdog. Rejects only for bugs. */
export async function runCall<S extends AgentStream>(
  { call, command, args, set, inherited, input, open }: CallProcess<S>,
  cancellation: Cancellation,
  listener: StepListener,
  recorder: StepRecorder,
  { timers, start, secrets }: ClientParts,
): Promise<{ readonly stream: S; readonly ending: Omit<CallEnding<never>, "facts"> }> {
  const env = { ...set, [TOKEN_VARIABLE]: call.token };
  recorder.meta({ argv: [command, ...args], cwd: call.cwd, session: call.session, env });

  let onAlive = (): void => undefined;
  const stream = open({
    ...listener,
    line: (text) => {
      recorder.line(text);
    },
    alive: () => {
      onAlive();
    },
  });
  let printed = false;
  const stderr = new Tail(STDERR_BYTES);
  const errors = secrets.stream((chunk) => {
    stderr.push(chunk);
    recorder.stderr(chunk);
  });
  const clientCancellation = endAfterAnswer(cancellation, stream, timers);
  const running = start({
    command,
    args,
    cwd: call.cwd,
    env: { ...inherited, ...env },
    input,
    onStdout: (chunk) => {
      printed = true;
      stream.push(chunk);
    },
    onStderr: (chunk) => {
      errors.push(chunk);
    },
    token: call.token,
    cancellation: clientCancellation,
  });
  const watched = watch(call, stream, running, timers);
  onAlive = () => {
    watched.event();
    clientCancellation.check();
  };
  const end = await running.done.finally(() => {
    watched.stop();
    clientCancellation.release();
  });
  stream.end();
  errors.end();
  if (end.survivors !== undefined) listener.warning(end.survivors);
  recordEnd(recorder, end);
  const folderMissing = end.spawnError !== null && !(await isFolder(call.cwd));
  const seen = { ...end, printed, stderr: stderr.toString() };
  const ending = {
    ...{ call, command, end, stderr: stderr.toString() },
    cancelled: clientCancellation.reason(),
    expired: watched.expired(),
    folderMissing,
    updating: !folderMissing && isBeingUpdated(command, seen, timers.elapsed()),
    at: timers.now(),
    timeZone: localZone(),
  };
  return { stream, ending };
}

let zone: string | null = null;

/** The IANA zone of this process. Determining it takes over a millisecond. */
function localZone(): string {
  zone ??= Intl.DateTimeFormat().resolvedOptions().timeZone;
  return zone;
}

function recordEnd(recorder: StepRecorder, { exitCode, signal, durationMs }: ProcessEnd): void {
  recorder.meta({ exitCode, signal, durationMs });
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}

/** A watchdog that terminates the client and records why. */
function watch(
  call: Invocation,
  stream: AgentStream,
  running: RunningProcess,
  timers: Timers,
): Watchdog & { expired(): Expired | null } {
  let expired: Expired | null = null;
  const patience = (): number => patienceWith(call, stream);
  const onExpiry = (expiry: Expiry): void => {
    const { activity } = stream;
    if (expiry === "deadline" && call.deadline !== null) {
      const { at, limitMs } = call.deadline;
      expired = { kind: "deadline", limitMs, elapsedMs: limitMs + timers.elapsed() - at };
    }
    // A client that does not exit after its result has succeeded.
    else if (activity !== "settled") {
      expired = { kind: "silence", duringTool: activity !== "thinking", afterMs: patience() };
    }
    stream.seal();
    running.end();
  };
  const watchdog = startWatchdog(
    { patience, deadline: call.deadline?.at ?? null, onExpiry },
    timers,
  );
  return { ...watchdog, expired: () => expired };
}

function patienceWith(call: Invocation, stream: AgentStream): number {
  switch (stream.activity) {
    case "settled":
      return EXIT_MS;
    case "tool":
      return call.toolTimeoutMs;
    case "background":
      // After that time the client itself ends subagents, and reports its result.
      return call.toolTimeoutMs === 0 ? 0 : call.toolTimeoutMs + EXIT_MS;
    case "thinking":
      return call.timeoutMs;
  }
}
