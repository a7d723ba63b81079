import type { Backend, Invocation } from "../../engine/ports/backend.ts";
import type { Redaction } from "../../engine/ports/redaction.ts";
import type { StepListener, StepRecorder } from "../../engine/ports/step-events.ts";
import { ENFORCED } from "../../machine/step/backend-facts.ts";
import { type ClientParts, runCall } from "../common/run-call.ts";
import { backgroundLimit, clientArgs, clientSwitches } from "./args.ts";
import { allowRules } from "./grants.ts";
import { classify } from "./output/classify.ts";
import { ClientStream } from "./output/stream.ts";
import type { ProjectAccess } from "./project/project-access.ts";

export interface ClaudeOptions extends ClientParts {
  /** Path or name of the client. */
  readonly command: string;
  /** The environment of a call, without the variables that raymond adds. */
  readonly env: (call: Invocation["environment"]) => Readonly<Record<string, string>>;
  /** False: the client's auto memory is off. */
  readonly memory: boolean;
  /** Whether a call in a folder may load the settings of its project. */
  readonly projectAccess: (cwd: string) => Promise<ProjectAccess>;
}

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
    // `withConversationCopies` reads the conversations.
    recover: () => Promise.resolve(null),
    invoke: async (call, cancellation, listener, recorder) => {
      const { command, memory, secrets } = options;
      const access = await options.projectAccess(call.cwd);
      if (access.kind === "ignore" && access.warning !== null) listener.warning(access.warning);
      const process = {
        ...{ call, command, input: call.prompt },
        args: clientArgs(call, access, await allowRules(call.grants)),
        set: { ...clientSwitches(memory, call.disarmed, access), ...call.env },
        inherited: { ...backgroundLimit(call.toolTimeoutMs), ...options.env(call.environment) },
        open: (alive: () => void) => openStream(call, listener, recorder, secrets, alive),
      };
      const { stream, ending } = await runCall(process, cancellation, listener, recorder, options);
      const { facts } = stream;
      const { version: clientVersion, model, spend, accepted } = facts;
      recorder.meta({ clientVersion, model, ...spend, accepted });
      return classify({ ...ending, facts });
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
