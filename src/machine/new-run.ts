import type { StateName } from "../language/protocol/transition.ts";
import type { Agent } from "./agent.ts";
import { newAgent } from "./move/apply-transition.ts";
import type { RunId, RunSettings, RunState } from "./run-state.ts";
import { NO_TOTALS } from "./spend/totals.ts";

export interface NewRunOptions {
  readonly id: RunId;
  readonly workflow: RunState["workflow"];
  readonly scopeDir: string;
  readonly launchDir: string;
  /** Epoch ms. */
  readonly at: number;
  readonly settings: RunSettings;
  readonly backend: RunState["backend"];
  readonly token: string;
  /** `--input`, the payload of the first state; null: none. */
  readonly input: string | null;
  /** `--var name=value`. */
  readonly attributes: Agent["attributes"];
}

/** A run with one agent, `main`, before the first state. */
export function newRun(of: NewRunOptions): RunState {
  const startedAt = new Date(of.at).toISOString();
  const main = mainAgent(of.workflow.entry, of.attributes, of.input);
  return {
    version: 1,
    id: of.id,
    status: "running",
    stopReason: null,
    workflow: of.workflow,
    scopeDir: of.scopeDir,
    launchDir: of.launchDir,
    origin: null,
    startedAt,
    updatedAt: startedAt,
    settings: of.settings,
    backend: of.backend,
    calls: {},
    token: of.token,
    agents: [main],
    forkCounters: {},
    results: {},
    totals: NO_TOTALS,
    sums: { states: {}, models: {} },
    visits: {},
    baselines: {},
    contexts: {},
    prices: {},
    misread: [],
    steps: 0,
    processes: 0,
    wait: null,
    seq: 0,
    saves: 0,
  };
}

function mainAgent(state: StateName, attributes: Agent["attributes"], input: string | null): Agent {
  return {
    ...newAgent({ id: "main", workflow: null, state, cwd: null, attributes, readySince: 0 }),
    pendingResult: input,
  };
}

/** The inverse of {@link newRun}, for a run without any steps. */
export function newRunOptionsOf(run: RunState): NewRunOptions {
  const [main] = run.agents;
  const { id, workflow, scopeDir, launchDir, settings, backend, token } = run;
  return {
    ...{ id, workflow, scopeDir, launchDir, settings, backend, token },
    at: Date.parse(run.startedAt),
    input: main?.pendingResult ?? null,
    attributes: main?.attributes ?? {},
  };
}
