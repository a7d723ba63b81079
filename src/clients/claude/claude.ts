import type { Backend } from "../../engine/ports/backend.ts";
import { formatDuration } from "../../language/basics/duration.ts";
import { ALL_CAPABILITIES, type Capabilities } from "../../machine/backends/backend-facts.ts";
import type { AgentParts } from "../common/coding-agent.ts";
import type { StreamSink } from "../common/output/agent-stream.ts";
import { runCall } from "../common/run-call.ts";
import { backgroundLimit, clientArgs, clientSwitches } from "./args.ts";
import { allowRules } from "./grants.ts";
import { classify } from "./output/classify.ts";
import { ClientStream } from "./output/stream.ts";

export const CAN: Capabilities = { ...ALL_CAPABILITIES, container: false };

/** Claude Code as a backend: one process per call (docs/claude.md). */
export function claudeBackend(options: Omit<AgentParts, "home">): Backend {
  const reported = new Set<string>();
  return {
    name: "claude",
    can: CAN,
    // `withConversationCopies` reads the conversations.
    recover: () => Promise.resolve(null),
    invoke: async (call, cancellation, listener, recorder) => {
      const { command, settings, secrets } = options;
      const access = await options.projectAccess(call.cwd);
      if (access.kind === "ignore" && access.warning !== null) listener.warning(access.warning);
      const { model: wanted, prompt, contextTokens = 0 } = call;
      const asked = { model: wanted, chars: prompt.length, contextTokens };
      const unconnected = new AbortController();
      const required = {
        names: call.requiredServers ?? [],
        onMissing: () => {
          unconnected.abort();
        },
      };
      const process = {
        ...{ call, command, input: call.prompt },
        args: clientArgs(call, access, await allowRules(call.grants)),
        set: { ...clientSwitches(settings, call.disarmed, access), ...call.env },
        inherited: { ...backgroundLimit(call.toolTimeoutMs), ...options.env(call.environment) },
        open: (sink: StreamSink) => new ClientStream(sink, undefined, asked, secrets, required),
      };
      const kill = AbortSignal.any([cancellation.kill, unconnected.signal]);
      const { stream, ending } = await runCall(
        process,
        { ...cancellation, kill },
        listener,
        recorder,
        options,
      );
      const { facts } = stream;
      const { version: clientVersion, model, spend, accepted, endedWork = [] } = facts;
      for (const server of facts.missingServers ?? []) {
        if (facts.unconnected !== undefined) break;
        if (reported.has(server)) continue;
        reported.add(server);
        listener.warning(
          `The MCP server ${server} of claude is not available. See: claude mcp list`,
        );
      }
      if (endedWork.length > 0 && ending.cancelled !== "stop") {
        listener.warning(endedWorkWarning(endedWork, call.toolTimeoutMs));
      }
      recorder.meta({ clientVersion, model, ...spend, accepted });
      return classify({ ...ending, facts });
    },
  };
}

function endedWorkWarning(work: readonly string[], limitMs: number): string {
  const limit = limitMs === 0 ? "" : ` (--tool-timeout ${formatDuration(limitMs)})`;
  return `Background work of the model was ended before it completed: ${work.join(", ")}${limit}.`;
}
