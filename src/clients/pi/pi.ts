import type { Backend, Invocation } from "../../engine/ports/backend.ts";
import type { Capabilities } from "../../machine/backends/backend-facts.ts";
import { failure } from "../../machine/model/failure.ts";
import { notStarted } from "../common/call-failures.ts";
import type { AgentParts } from "../common/coding-agent.ts";
import type { StreamSink } from "../common/output/agent-stream.ts";
import { runCall } from "../common/run-call.ts";
import { warnOfUnsupported } from "../common/unsupported.ts";
import { callArgs, OFFLINE } from "./args.ts";
import { classify } from "./output/classify.ts";
import { PiStream } from "./output/stream.ts";
import { prepareSession } from "./sessions/prepare-session.ts";
import { sessionStore } from "./sessions/session-store.ts";
import { isWithheld } from "./tools.ts";

export const CAN: Capabilities = {
  branch: true,
  resume: true,
  effort: true,
  budget: false,
  tools: true,
  sandbox: false,
  container: false,
  mcp: false,
  cost: "reported",
  permissions: ["read-only", "tool"],
};

/** pi as a backend: one process per call (docs/pi.md). */
export function piBackend(options: Omit<AgentParts, "settings">): Backend {
  return {
    name: "pi",
    can: CAN,
    // `withConversationCopies` reads the conversations.
    recover: () => Promise.resolve(null),
    invoke: async (call, cancellation, listener, recorder) => {
      const { command, home, secrets, timers } = options;
      if (cancellation.interrupt.aborted || cancellation.kill.aborted) return notStarted(CANCELLED);
      const access = await options.projectAccess(call.cwd);
      if (access.kind === "ignore" && access.warning !== null) listener.warning(access.warning);
      const inherited = { ...OFFLINE, ...options.env(call.environment) };
      const store = sessionStore(inherited, home);
      const find = (id: string) => store.find(id, call.cwd);
      const prepared = await prepareSession(call.session, find, timers.now());
      if (!prepared.ok) return notStarted(prepared.failure);
      warnOfUnsupported("pi", call, listener);
      const asked = { model: call.model, chars: 0, contextTokens: call.contextTokens ?? 0 };
      const withheld = (tool: string): boolean => isWithheld(tool, call);
      const process = {
        ...{ call, command, input: promptOf(call) },
        args: callArgs(call, prepared.file, access),
        set: call.env,
        inherited,
        open: (sink: StreamSink) => new PiStream(sink, withheld, asked, secrets),
      };
      const { stream, ending } = await runCall(process, cancellation, listener, recorder, options);
      const { facts, withoutPrice } = stream;
      recorder.meta({ model: facts.model, ...facts.spend, accepted: facts.accepted });
      if (withoutPrice !== null) listener.notice(noPrice(withoutPrice));
      return classify({ ...ending, facts });
    },
  };
}

const CANCELLED = failure("cancelled", "The call was interrupted.");

/** pi runs a prompt that starts with a slash as a command or template of the user (docs/pi.md, "Command line"). */
function promptOf({ prompt, disarmed }: Invocation): string {
  return disarmed && prompt.trimStart().startsWith("/") ? `Prompt:\n${prompt}` : prompt;
}

function noPrice(model: string): string {
  return `pi has no price for ${model}, so its cost is an estimate. Set its cost in the models.json of pi.`;
}
