import type { StateName } from "../../language/protocol/transition.ts";
import type { Agent } from "../model/agent.ts";
import { setupGate } from "../model/gate.ts";
import type { RunState } from "../model/run-state.ts";
import { NO_TOTALS } from "../model/totals.ts";
import { newAgent } from "./apply-transition.ts";

export interface NewRunOptions
  extends Pick<
    RunState,
    | "id"
    | "workflow"
    | "scopeDir"
    | "launchDir"
    | "stateFolder"
    | "worktree"
    | "settings"
    | "backend"
    | "token"
  > {
  /** Epoch ms. */
  readonly at: number;
  /** `--input`, the payload of the first state; null: none. */
  readonly input: string | null;
  /** `--var name=value`. */
  readonly attributes: Agent["attributes"];
  /** The script that prepares the worktree; absent: none. */
  readonly setup?: StateName | undefined;
}

/** A run with one agent, `main`, before the first state. */
export function newRun({ at, input, attributes, setup, ...own }: NewRunOptions): RunState {
  const startedAt = new Date(at).toISOString();
  return {
    version: 1,
    ...own,
    // Always a key, as in a run that was read.
    worktree: own.worktree,
    stateFolder: own.stateFolder,
    status: "running",
    stopReason: null,
    origin: null,
    startedAt,
    updatedAt: startedAt,
    calls: {},
    agents: [mainAgent(own.workflow.entry, attributes, input, setup ?? null)],
    forkCounters: {},
    results: {},
    totals: NO_TOTALS,
    sums: { states: {}, models: {}, backends: {} },
    visits: {},
    baselines: {},
    contexts: {},
    prices: {},
    misread: [],
    grants: null,
    denied: null,
    resultsSet: 0,
    steps: 0,
    processes: 0,
    ...{ waits: {}, owners: {}, candidates: {} },
    ...{ closing: undefined, kept: undefined },
    seq: 0,
    saves: 0,
  };
}

function mainAgent(
  state: StateName,
  attributes: Agent["attributes"],
  input: string | null,
  setup: StateName | null,
): Agent {
  return {
    ...newAgent({ id: "main", workflow: null, state, cwd: null, attributes, readySince: 0 }),
    pendingResult: input,
    gate: setup === null ? null : setupGate(setup, state, input),
  };
}

/** The inverse of {@link newRun}, for a run without any steps. */
export function newRunOptionsOf(run: RunState): NewRunOptions {
  const [main] = run.agents;
  const { id, workflow, scopeDir, launchDir, worktree, settings, backend, token } = run;
  return {
    ...{ id, workflow, scopeDir, launchDir, settings, backend, token },
    ...(worktree !== undefined && { worktree }),
    at: Date.parse(run.startedAt),
    input: main?.pendingResult ?? null,
    attributes: main?.attributes ?? {},
    ...(main?.gate != null && { setup: main.gate.checks[0]?.state }),
  };
}
