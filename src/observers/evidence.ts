import { join } from "node:path";
import type { AgentId } from "../core/machine/agent.ts";
import type { Event } from "../core/machine/event.ts";
import type { RunState } from "../core/machine/run-state.ts";
import type { StateName } from "../core/protocol/transition.ts";

/** What to look at where an agent has failed, besides the reason. */
export interface Evidence {
  /** The state's file. */
  readonly file: string;
  /** The last line that the model has said in its last attempt. */
  readonly said: string | null;
  /** The last lines that a script has printed which ended well, but not as its agent needs it; null of any other. */
  readonly printed: readonly string[] | null;
  /** The debug file that tells most of that attempt. */
  readonly debug: string | null;
}

/** Gathers evidence while a run goes on. */
export interface Witness {
  see(event: Event): void;
  of(agent: AgentId, state: StateName, run: RunState): Evidence;
}

/**
 * A witness that asks `debugFile` for the file that an agent's last attempt has
 * left, and `source` for the one that holds a state, which may hold many.
 */
export function newWitness(
  debugFile: (agent: AgentId) => string | null,
  source: ((state: StateName) => string) | undefined,
): Witness {
  const said = new Map<AgentId, string>();
  const printed = new Map<AgentId, readonly string[]>();
  return {
    see(event) {
      if (event.type === "step.started" || event.type === "agent.ended") said.delete(event.agent);
      if (event.type === "step.message") said.set(event.agent, lastLine(event.text));
      if (event.type === "step.started") {
        if (event.kind === "script") printed.set(event.agent, []);
        else printed.delete(event.agent);
      }
      if (event.type === "step.output") {
        const lines = [...(printed.get(event.agent) ?? []), ...event.text.trimEnd().split(/\r?\n/)];
        printed.set(event.agent, lines.slice(-MOST_PRINTED));
      }
      // The reason of such a failure has the output in it.
      if (event.type === "agent.ended" || (event.type === "step.ended" && !event.ok)) {
        printed.delete(event.agent);
      }
    },
    of: (agent, state, { scopeDir }) => ({
      file: source?.(state) ?? join(scopeDir, state),
      said: said.get(agent) ?? null,
      printed: printed.get(agent) ?? null,
      debug: debugFile(agent),
    }),
  };
}

/** Lines of output that are kept of each script. */
const MOST_PRINTED = 5;

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.trim() ?? "";
}
