import { RaymondError } from "../core/errors.ts";
import type { AgentId } from "../core/machine/agent.ts";
import { firstStep, originWords, type RunId, type RunState } from "../core/machine/run-state.ts";
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

/** A step is named that the run has not made, or that its event log does not tell of. */
export class UnknownStepError extends RaymondError {
  override readonly name = "UnknownStepError";
  readonly code = "run/unknown-step";

  /** `whose`: the agent that has made it, where another was named. */
  constructor(
    of: Pick<RunState, "id" | "processes" | "origin">,
    step: number,
    whose: AgentId | null,
  ) {
    const { id: run, processes: last, origin } = of;
    const first = firstStep(of);
    const number = String(step);
    const look = `\`raymond show ${run}\` shows the last ones.`;
    if (whose !== null) {
      super(`Step ${number} of the run ${run} is one of ${whose}.`, {
        hint: `raymond show ${run} --step ${number} shows it.`,
      });
    } else if (origin !== null && step >= 1 && step < first) {
      super(`The run ${run} has not made step ${number}: ${originWords(origin)}.`, {
        hint: `That one may have it: raymond show ${origin.run} --step ${number}`,
      });
    } else if (step >= first && step <= last) {
      super(`The event log of the run ${run} does not tell of step ${number}.`, {
        hint: `Its line is torn, was removed, or was written by another version of raymond. ${look}`,
      });
    } else {
      super(`The run ${run} has no step ${number}.`, {
        hint:
          last < first
            ? "It has made none yet."
            : `Its steps are ${String(first)} to ${String(last)}. ${look}`,
      });
    }
  }
}

/** Two runs are to be compared that are of different workflows. */
export class OtherWorkflowError extends RaymondError {
  override readonly name = "OtherWorkflowError";
  readonly code = "run/other-workflow";

  constructor(left: Pick<RunState, "id" | "workflow">, right: Pick<RunState, "id" | "workflow">) {
    super(
      `These are runs of different workflows: ${left.id} of ${left.workflow.path}, ${right.id} of ${right.workflow.path}.`,
      { hint: "Their paths have nothing to compare. `raymond cost` shows what each has cost." },
    );
  }
}
