import { stat } from "node:fs/promises";
import type { Backend, Invocation } from "../../engine/ports/backend.ts";
import {
  type ProcessEnd,
  type RunningProcess,
  type StartProcess,
  TOKEN_VARIABLE,
} from "../../engine/ports/process.ts";
import type { Redaction } from "../../engine/ports/redaction.ts";
import type { StepListener, StepRecorder } from "../../engine/ports/step-events.ts";
import { ENFORCED } from "../../machine/step/backend-facts.ts";
import { Tail } from "../../process/children/tail.ts";
import { backgroundLimit, clientArgs, clientSwitches } from "./args.ts";
import type { CallFacts } from "./facts.ts";
import { allowRules } from "./grants.ts";
import { endAfterAnswer } from "../common/after-answer.ts";
import { classify } from "./output/classify.ts";
import type { Expired } from "./output/ending.ts";
import { ClientStream } from "./output/stream.ts";
import type { ProjectAccess } from "./project/project-access.ts";
import { type Expiry, startWatchdog, type Timers, type Watchdog } from "../common/watchdog.ts";

export interface ClaudeOptions {
  /** Path or name of the client. */
  readonly command: string;
  /** The environment of a call, without the variables that raymond adds. */
  readonly env: (call: Invocation["environment"]) => Readonly<Record<string, string>>;
  /** False: the client's auto memory is off. */
  readonly memory: boolean;
  /** Whether a call in a folder may load the settings of its project. */
  readonly projectAccess: (cwd: string) => Promise<ProjectAccess>;
  readonly timers: Timers;
  readonly start: StartProcess;
  /** Redacts the output before anything reads it. */
  readonly secrets: Redaction;
}

/** Time to exit after a `result`, ms (docs/claude.md, "Timeouts"). */
const EXIT_MS = 10_000;

const STDERR_BYTES = 8 * 1024;

/** Claude Code as a backend: one process per call (docs/claude.md). */
export function claudeBackend(options: ClaudeOptions): Backend {
  return {
    name: "claude",
    can: {
      branch: true,
      resume: true,
      effort: true,
      budget: true,
      tools: true,
      sandbox: true,
      container: false,
      permissions: ENFORCED,
    },
    // `withTranscripts` reads the conversations.
    recover: () => Promise.resolve(null),
    invoke: async (call, cancellation, listener, recorder) => {
      const access = await options.projectAccess(call.cwd);
      if (access.kind === "ignore" && access.warning !== null) listener.warning(access.warning);
      const args = clientArgs(call, access, await allowRules(call.grants));
      const { command, memory } = options;
      const env = {
        ...clientSwitches(memory, call.disarmed, access),
        ...call.env,
        [TOKEN_VARIABLE]: call.token,
      };
      recorder.meta({ argv: [command, ...args], cwd: call.cwd, session: call.session, env });

      let onAlive = (): void => undefined;
      const { secrets } = options;
      const stream = openStream(call, listener, recorder, secrets, () => {
        onAlive();
      });
      const stderr = new Tail(STDERR_BYTES);
      const errors = secrets.stream((chunk) => {
        stderr.push(chunk);
        recorder.stderr(chunk);
      });
      const clientCancellation = endAfterAnswer(cancellation, stream, options.timers);
      const running = options.start({
        command,
        args,
        cwd: call.cwd,
        env: { ...backgroundLimit(call.toolTimeoutMs), ...options.env(call.environment), ...env },
        input: call.prompt,
        onStdout: (chunk) => {
          stream.push(chunk);
        },
        onStderr: (chunk) => {
          errors.push(chunk);
        },
        token: call.token,
        cancellation: clientCancellation,
      });
      const watched = watch(call, stream, running, options.timers);
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

      const { facts } = stream;
      recordEnd(recorder, facts, end);
      return classify({
        call,
        command,
        facts,
        end,
        stderr: stderr.toString(),
        cancelled: clientCancellation.reason(),
        expired: watched.expired(),
        folderMissing: end.spawnError !== null && !(await isFolder(call.cwd)),
        at: options.timers.now(),
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      });
    },
  };
}

function openStream(
  { model, prompt, contextTokens = 0 }: Invocation,
  listener: StepListener,
  recorder: StepRecorder,
  secrets: Redaction,
  alive: () => void,
): ClientStream {
  const line = (text: string): void => {
    recorder.line(text);
  };
  const asked = { model, chars: prompt.length, contextTokens };
  return new ClientStream({ ...listener, line, alive }, undefined, asked, secrets);
}

function recordEnd(
  recorder: StepRecorder,
  { version: clientVersion, model, spend, accepted }: CallFacts,
  { exitCode, signal, durationMs }: ProcessEnd,
): void {
  recorder.meta({ exitCode, signal, durationMs });
  recorder.meta({ clientVersion, model, ...spend, accepted });
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => null))?.isDirectory() === true;
}

/** A watchdog that terminates the client and records why. */
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

function patienceWith(call: Invocation, stream: ClientStream): number {
  switch (stream.activity) {
    case "settled":
      return EXIT_MS;
    case "tool":
      return call.toolTimeoutMs;
    case "subagent":
      // After that time the client itself ends subagents (`backgroundLimit`), and reports its result.
      return call.toolTimeoutMs === 0 ? 0 : call.toolTimeoutMs + EXIT_MS;
    case "thinking":
      return call.timeoutMs;
  }
}
