import { RaymondError } from "../core/errors.ts";
import type { AgentId } from "../core/machine/agent.ts";
import type { RunId } from "../core/machine/run-state.ts";
import { nearest } from "../core/nearest.ts";

/** An agent is named that the run has never had. */
export class UnknownAgentError extends RaymondError {
  override readonly name = "UnknownAgentError";
  readonly code = "run/unknown-agent";

  /** `known`: the agents that the run has, or has had. */
  constructor(run: RunId, agent: string, known: readonly AgentId[]) {
    const near = nearest(agent, known);
    const shown = known.slice(0, MOST_SHOWN).join(", ");
    const more = known.length > MOST_SHOWN ? `, and ${String(known.length - MOST_SHOWN)} more` : "";
    super(`The run ${run} has no agent "${agent}".`, {
      hint: `${near === null ? "" : `Did you mean ${near}? `}Its agents: ${shown}${more}.`,
    });
  }
}

const MOST_SHOWN = 12;
