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
  return {
    see(event) {
      if (event.type === "step.started" || event.type === "agent.ended") said.delete(event.agent);
      if (event.type === "step.message") said.set(event.agent, lastLine(event.text));
    },
    of: (agent, state, { scopeDir }) => ({
      file: source?.(state) ?? join(scopeDir, state),
      said: said.get(agent) ?? null,
      debug: debugFile(agent),
    }),
  };
}

function lastLine(text: string): string {
  return text.trimEnd().split("\n").at(-1)?.trim() ?? "";
}
