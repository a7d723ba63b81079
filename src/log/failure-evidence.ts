import { join } from "node:path";
import type { StateName } from "../language/protocol/transition.ts";
import type { AgentId } from "../machine/model/agent.ts";
import type { Event } from "../machine/model/event.ts";
import type { RunState } from "../machine/model/run-state.ts";

/** What to check after a failure, in addition to the reason. */
export interface FailureEvidence {
  /** The state's file. */
  readonly file: string;
  /** The last line of the model in its last attempt. */
  readonly lastMessage: string | null;
  /** The last output of a script that succeeded without a valid transition; null for other failures. */
  readonly lastOutput: readonly string[] | null;
  /** The most useful debug file of that attempt. */
  readonly debugFile: string | null;
}

export interface EvidenceCollector {
  notify(event: Event): void;
  of(agent: AgentId, state: StateName, run: RunState): FailureEvidence;
}

/** `debugFile`: the debug file of an agent's last attempt. `source`: the file of a state, if files contain several. */
export function evidenceCollector(
  debugFile: (agent: AgentId) => string | null,
  source: ((state: StateName) => string) | undefined,
): EvidenceCollector {
  const messages = new Map<AgentId, string>();
  const output = new Map<AgentId, readonly string[]>();
  return {
    notify(event) {
      if (event.type === "step.started" || event.type === "agent.ended")
        messages.delete(event.agent);
      if (event.type === "step.message") messages.set(event.agent, lastLine(event.text));
      if (event.type === "step.started") {
        if (event.kind === "script") output.set(event.agent, []);
        else output.delete(event.agent);
      }
      if (event.type === "step.output") {
        const lines = [...(output.get(event.agent) ?? []), ...event.text.trimEnd().split(/\r?\n/)];
        output.set(event.agent, lines.slice(-MAX_LINES));
      }
      // The reason of this failure contains the output.
      if (event.type === "agent.ended" || (event.type === "step.ended" && !event.ok)) {
        output.delete(event.agent);
      }
    },
    of: (agent, state, { scopeDir }) => ({
      file: source?.(state) ?? join(scopeDir, state),
      lastMessage: messages.get(agent) ?? null,
      lastOutput: output.get(agent) ?? null,
      debugFile: debugFile(agent),
    }),
  };
}

/** Recorded lines of output per script. */
const MAX_LINES = 5;

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.trim() ?? "";
}
