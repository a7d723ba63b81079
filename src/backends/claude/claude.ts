import { stat } from "node:fs/promises";
import type { Backend, Invocation } from "../../ports/backend.ts";
import { type RunningProcess, type StartProcess, TOKEN_VARIABLE } from "../../ports/process.ts";

import type { StepListener, StepRecorder } from "../../ports/step-events.ts";
import { Tail } from "../../process/tail.ts";
import { type ClientCancellation, endAfterAnswer } from "./after-answer.ts";
import { clientArgs } from "./args.ts";
import { classify } from "./classify.ts";
import type { Expired } from "./ending.ts";
import { clientSwitches } from "./environment.ts";
import { ClientStream, type StreamSink } from "./stream.ts";
import { type Expiry, startWatchdog, type Timers, type Watchdog } from "./watchdog.ts";

/** What {@link claudeBackend} needs of the world. */
export interface ClaudeOptions {
  /** Path or name of the client. */
  readonly command: string;
  /**
   * The launcher's environment, less what an outer run has set
   * (docs/authoring.md, "Environment").
   */
  readonly env: Readonly<Record<string, string>>;
  /** False: the client's auto memory is off. */
  readonly memory: boolean;
  readonly timers: Timers;
  readonly start: StartProcess;
}

/**
 * After a `result` the client has so long to exit, ms (docs/claude.md, "How
 * long raymond waits").
 */
const LINGER_MS = 10_000;

/** Bytes of standard error that are kept for messages. */
const STDERR_KEPT = 8 * 1024;

/** The real client as a Backend: one process a call, started and read as docs/claude.md says. */
export function claudeBackend(options: ClaudeOptions): Backend {
  return {
    name: "claude",
    can: { branch: true, resume: true, effort: true, budget: true, tools: true },
    // Its conversations are looked into where copies of them are kept.
    recall: () => Promise.resolve(null),
    invoke: async (call, cancellation, listener, recorder) => {
      const args = clientArgs(call);
      const { command, memory } = options;
      const env = {
        ...clientSwitches(memory, call.disarmed),
        ...call.env,
        [TOKEN_VARIABLE]: call.token,
      };
      recorder.meta({ argv: [command, ...args], cwd: call.cwd, session: call.session, env });

      const { stream, onAlive } = openStream(listener, recorder, call);
      const stderr = new Tail(STDERR_KEPT);
      const asked = endAfterAnswer(cancellation, stream, options.timers);
      const running = options.start({
        command,
        args,
        cwd: call.cwd,
        env: { ...options.env, ...env },
        input: call.prompt,
        onStdout: (chunk) => {
          stream.push(chunk);
        },
        onStderr: (chunk) => {
          stderr.push(chunk);
          recorder.stderr(chunk);
        },
        token: call.token,
        cancellation: asked,
      });
      const watched = watch(call, stream, running, options.timers);
      onAlive(() => {
        watched.event();
        asked.heard();
      });
      const unseal = sealOn(asked, stream);
      const end = await running.done.finally(() => {
        watched.stop();
        unseal();
        asked.release();
      });
      stream.end();
      if (end.mayLive !== undefined) listener.warning(end.mayLive);

      const { facts } = stream;
      const { version: clientVersion, model, spend, accepted } = facts;
      const { exitCode, signal, durationMs } = end;
      recorder.meta({ exitCode, signal, durationMs });
      recorder.meta({ clientVersion, model, ...spend, accepted });
      return classify({
        call,
        command,
        facts,
        end,
        stderr: stderr.toString(),
        cancelled: asked.why(),
        expired: watched.expired(),
        folderMissing:
          end.spawnError !== null &&
          (await stat(call.cwd).catch(() => null))?.isDirectory() !== true,
        at: options.timers.now(),
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      });
    },
  };
}

/** A stream that tells the listener, and a way to hear that the client is alive. */
function openStream(
  listener: StepListener,
  recorder: StepRecorder,
  { model, prompt, contextTokens = 0 }: Invocation,
): { readonly stream: ClientStream; readonly onAlive: (heard: () => void) => void } {
  let settled = false;
  let heard = (): void => undefined;
  const asked = { model, chars: prompt.length, contextTokens };
  const sink: StreamSink = {
    accepted: () => {
      listener.accepted();
    },
    spending: (spend) => {
      listener.spending(spend);
    },
    message: (text) => {
      listener.message(text);
    },
    tool: (name, argument) => {
      listener.tool(name, argument);
    },
    notice: (text) => {
      listener.notice(text);
    },
    warning: (text) => {
      listener.warning(text);
    },
    line: (line) => {
      recorder.line(line);
    },
    alive: () => {
      const before = settled;
      settled = stream.activity === "settled";
      // What still trickles in after a result does not lengthen the time to exit.
      if (!settled || !before) heard();
    },
  };
  const stream = new ClientStream(sink, undefined, asked);
  return {
    stream,
    onAlive: (listen) => {
      heard = listen;
    },
  };
}

/** A watchdog that ends the client, and remembers why. */
function watch(
  call: Invocation,
  stream: ClientStream,
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
    // One that only lingers has done its work.
    else if (activity !== "settled") {
      expired = { kind: "silence", duringTool: activity === "tool", afterMs: patience() };
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

function patienceWith(call: Invocation, stream: ClientStream): number {
  switch (stream.activity) {
    case "settled":
      return LINGER_MS;
    case "tool":
      return call.toolTimeoutMs;
    case "thinking":
      return call.timeoutMs;
  }
}

/**
 * From a cancellation on, what the client says is no longer its own doing
 * (docs/claude.md, "What is read").
 */
function sealOn(cancellation: ClientCancellation, stream: ClientStream): () => void {
  const { interrupt, kill } = cancellation;
  const seal = (): void => {
    // What it still says when the money is used up is paid for, and is judged.
    if (cancellation.why() === "stop") stream.seal();
  };
  seal();
  interrupt.addEventListener("abort", seal);
  kill.addEventListener("abort", seal);
  return () => {
    interrupt.removeEventListener("abort", seal);
    kill.removeEventListener("abort", seal);
  };
}
