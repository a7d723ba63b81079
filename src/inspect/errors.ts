import { defineErrors } from "../language/basics/errors.ts";
import { nearest } from "../language/basics/nearest.ts";
import type { AgentId } from "../machine/model/agent.ts";
import {
  describeOrigin,
  firstStep,
  type RunId,
  type RunState,
  type SnapshotMode,
} from "../machine/model/run-state.ts";

const MOST_SHOWN = 12;

export const inspectErrors = defineErrors({
  /** `known`: all agents of the run, also ended ones. */
  "run/unknown-agent": (run: RunId, agent: string, known: readonly AgentId[]) => {
    const near = nearest(agent, known);
    const shown = known.slice(0, MOST_SHOWN).join(", ");
    const more = known.length > MOST_SHOWN ? `, and ${String(known.length - MOST_SHOWN)} more` : "";
    return {
      message: `Run ${run} has no agent "${agent}".`,
      hint: `${near === null ? "" : `Did you mean ${near}? `}Its agents: ${shown}${more}.`,
    };
  },
  "run/no-event-log": (run: RunId, file: string) => ({
    message: `Run ${run} has no event log: ${file} does not exist.`,
    hint: `It may have been removed, or the run has not started. Show its state with: raymond status ${run}`,
  }),
  /** `owner`: the agent of the step, if another agent was named. */
  "run/unknown-step": (
    of: Pick<RunState, "id" | "processes" | "origin">,
    step: number,
    owner: AgentId | null,
  ) => {
    const { id: run, processes: last, origin } = of;
    const first = firstStep(of);
    const number = String(step);
    const list = `List its last steps with: raymond show ${run}`;
    if (owner !== null) {
      return {
        message: `Step ${number} of run ${run} belongs to agent ${owner}.`,
        hint: `Show it with: raymond show ${run} ${number}`,
      };
    }
    if (origin !== null && step >= 1 && step < first) {
      return {
        message: `Run ${run} has no step ${number}: ${describeOrigin(origin)}.`,
        hint: `Try the original run: raymond show ${origin.run} ${number}`,
      };
    }
    if (step >= first && step <= last) {
      return {
        message: `The event log of run ${run} does not contain step ${number}.`,
        hint: `Its line is damaged, was removed, or was written by another version of raymond. ${list}`,
      };
    }
    return {
      message: `Run ${run} has no step ${number}.`,
      hint:
        last < first
          ? "It has no steps yet."
          : `Its steps are ${String(first)} to ${String(last)}. ${list}`,
    };
  },
  "run/no-snapshots": (run: RunId, mode: SnapshotMode) => ({
    message: `Run ${run} has no snapshots of its files.`,
    hint:
      mode === "off"
        ? "It ran with snapshots = off. Start the next run with: --snapshots prompts"
        : `raymond makes them in a git repository, ${mode === "all" ? "after each step" : "after prompts that may change files. For scripts too, start a run with: --snapshots all"}.`,
  }),
  "run/no-snapshot": (run: RunId, step: number, known: readonly number[]) => ({
    message: `Step ${String(step)} of run ${run} has no snapshot.`,
    hint: `Steps with snapshots: ${known.slice(-MOST_SHOWN).join(", ")}.${known.length > MOST_SHOWN ? " These are the last ones." : ""}`,
  }),
  "run/no-repository": (folder: string) => ({
    message: `Cannot read the snapshots of the run: ${folder} is not in a git repository any more.`,
    hint: "Run the command inside of a clone that has the refs below refs/raymond.",
  }),
  "cli/bad-steps": (steps: string) => ({
    message: `"${steps}" names no steps.`,
    hint: "Name a step, such as 4, or a range, such as 4..9. List the steps with: raymond show RUN",
  }),
  "run/other-workflow": (
    left: Pick<RunState, "id" | "workflow">,
    right: Pick<RunState, "id" | "workflow">,
  ) => ({
    message: `Cannot compare runs of different workflows: ${left.id} of ${left.workflow.path}, ${right.id} of ${right.workflow.path}.`,
    hint: "To compare their costs, run raymond cost for each of them.",
  }),
  "run/not-recorded": (id: RunId, problem: string, hint: string = INCOMPLETE) => ({
    message: `The record of run ${id} is not usable: ${problem}.`,
    hint,
  }),
  "workflow/graph-too-large": (states: number, moves: number) => ({
    message: `The workflow has ${states.toLocaleString("en")} states and ${moves.toLocaleString("en")} transitions: too many for a readable picture.`,
    hint: "Use --format json, or --format dot with Graphviz.",
  }),
  "cli/no-folder": (folder: string) => ({
    message: `Cannot write to ${folder}: the folder does not exist.`,
    hint: "Create it, or name another place.",
  }),
});

const INCOMPLETE =
  "A record is readable by the version of raymond that wrote it, and is deleted with the run's folder. Use a complete run of this version.";
