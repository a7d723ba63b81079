import type { StateName } from "../protocol/transition.ts";
import type { Agent } from "./agent.ts";
import { newAgent } from "./apply-transition.ts";
import type { RunId, RunSettings, RunState } from "./run-state.ts";
import { NO_SUMS } from "./sums.ts";

/** What a run begins with. */
export interface Beginning {
  readonly id: RunId;
  readonly workflow: RunState["workflow"];
  readonly scopeDir: string;
  readonly launchDir: string;
  /** Epoch ms. */
  readonly at: number;
  readonly settings: RunSettings;
  readonly backend: RunState["backend"];
  readonly token: string;
  /** `--input`: pending for the first state; null when there is none. */
  readonly input: string | null;
  /** `--var name=value`. */
  readonly attributes: Agent["attributes"];
}

/** A run with one agent, `main`, about to enter the workflow's first state. */
export function newRun(of: Beginning): RunState {
  const startedAt = new Date(of.at).toISOString();
  const main = mainAgent(of.workflow.entry, of.attributes, of.input);
  return {
    version: 4,
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
    totals: NO_SUMS,
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

/** What a run began with, of one that nothing has happened to yet: the inverse of {@link newRun}. */
export function beginningOf(run: RunState): Beginning {
  const [main] = run.agents;
  const { id, workflow, scopeDir, launchDir, settings, backend, token } = run;
  return {
    ...{ id, workflow, scopeDir, launchDir, settings, backend, token },
    at: Date.parse(run.startedAt),
    input: main?.pendingResult ?? null,
    attributes: main?.attributes ?? {},
  };
}
