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

/** The event log of a run is not there. */
export class NoEventLogError extends RaymondError {
  override readonly name = "NoEventLogError";
  readonly code = "run/no-event-log";

  constructor(run: RunId, file: string) {
    super(`The run ${run} has no event log: ${file} is not there.`, {
      hint: `It may have been removed, or the run has not begun. \`raymond status ${run}\` shows what its state file tells.`,
    });
  }
}
