import { formatUsd } from "../../core/money.ts";
import { printable } from "../../observers/printable.ts";
import type { RunSummary } from "../../stores/store.ts";
import { stateRoot, storeIn } from "../runs.ts";
import type { Shell } from "../shell.ts";

interface ListOptions {
  readonly all?: true;
  readonly json?: true;
  readonly stateDir?: string;
}

/** `raymond list`: the runs of this project, last started first, for people or for scripts. */
export async function listCommand(options: ListOptions, shell: Shell): Promise<void> {
  const root = await stateRoot(shell, options.stateDir);
  const runs = await (await storeIn(root, shell)).list();
  const shown = runs.filter((run) => options.all === true || run.status !== "completed");
  for (const run of shown) {
    shell.out.line(options.json === true ? JSON.stringify(summaryJson(run)) : formatRun(run));
  }
  if (options.json === true) return;
  const hidden = runs.length - shown.length;
  if (hidden > 0) {
    shell.err.line(
      `${String(hidden)} completed ${hidden === 1 ? "run is" : "runs are"} not shown (--all shows all).`,
    );
  } else if (runs.length === 0) {
    shell.err.line(`There are no runs in ${root}.`);
  }
}

/** One line a run, its id first, so that `raymond list | cut -d' ' -f1` works. */
export function formatRun(run: RunSummary): string {
  const columns = [
    run.id.padEnd(ID_WIDTH),
    run.status.padEnd(15),
    formatUsd(run.costMicroUsd).padStart(8),
    `${String(run.steps)} ${run.steps === 1 ? "step" : "steps"}`.padStart(9),
    run.startedAt.slice(0, 16).replace("T", " "),
    run.workflow + (run.simulated ? " (simulated)" : ""),
    ...(run.problem === null ? [] : [run.problem]),
  ];
  return printable(columns.join("  "));
}

/** The length of `wf-2026-11-21-k3x9qd`: longer ids push their line to the right. */
const ID_WIDTH = 20;

/** A summary as `--json` prints it: snake_case and dollars, like the state file. */
function summaryJson(run: RunSummary): object {
  return {
    workflow_id: run.id,
    status: run.status,
    workflow: run.workflow,
    simulated: run.simulated,
    total_cost_usd: run.costMicroUsd / 1e6,
    steps: run.steps,
    agents: run.agents,
    started_at: run.startedAt,
    updated_at: run.updatedAt,
    problem: run.problem,
  };
}
