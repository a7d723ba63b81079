import { counted } from "../../core/counted.ts";
import { stepName } from "../../core/machine/gate.ts";
import { spent } from "../../core/machine/run-state.ts";
import { formatUsd, toUsd } from "../../core/money.ts";
import { printable } from "../../observers/printable.ts";
import { isSimulated } from "../../ports/backend.ts";
import { rerun } from "../../runs/rerun.ts";
import { NoTerminalError } from "../../runs/rerun-errors.ts";
import { planRerun, type RerunPlan } from "../../runs/rerun-plan.ts";
import { editIn } from "../../runs/wire/editor.ts";
import { askTrust } from "../ask-trust.ts";
import { attend } from "../attend.ts";
import { printJson } from "../output.ts";
import { settingsOf } from "../run-flags.ts";
import { type RunOptions, refuseMisplaced } from "../run-options.ts";
import type { Shell } from "../shell.ts";

interface RerunOptions extends RunOptions {
  readonly from: string;
  readonly edit?: true;
  readonly atCost?: true;
}

/** `raymond rerun`: starts a run where another one stood, and drives it to its end. Returns the exit code. */
export async function rerunCommand(
  run: string,
  options: RerunOptions,
  shell: Shell,
): Promise<number> {
  refuseMisplaced(options, "rerun");
  const { stateDir, from, workflowId: id } = options;
  const wanted = { run, stateDir, from, trustProject: options.trustProject };
  if (options.atCost === true) {
    const plan = await planRerun(wanted, shell);
    if (options.json === true) printJson(shell.out, planJson(plan));
    else for (const line of formatPlan(plan)) shell.out.line(printable(line));
    return 0;
  }
  if (options.edit === true && shell.ask === null) throw new NoTerminalError();
  const edit = options.edit === true ? (file: string) => editIn(shell, file) : undefined;
  const settings = settingsOf(options);
  return attend(
    (driving) => askTrust(shell, () => rerun({ ...wanted, id, settings, edit, ...driving }, shell)),
    options,
    shell,
  );
}

/** Where a run would begin, and what it would not pay again. */
function formatPlan({ point, run }: RerunPlan): readonly string[] {
  const { agents, totals } = point.run;
  const [step, cost] = [String(point.step), formatUsd(spent(point.run))];
  const made = counted(totals.attempts, "attempt");
  const others = agents.length - 1;
  return [
    `Before step ${step} (${stepName(point.agent)} of ${point.agent.id}) ${run.id} had spent ${cost} on ${made}, which a rerun from there does not repeat.`,
    ...(others === 0 ? [] : [`${counted(others, "more agent")} would go on from there too.`]),
    ...(isSimulated(run.backend) ? ["The run is simulated: its costs are made up."] : []),
  ];
}

function planJson({ point, run }: RerunPlan): object {
  const { totals, agents } = point.run;
  return {
    workflow_id: run.id,
    step: point.step,
    agent: point.agent.id,
    state: stepName(point.agent),
    agents: agents.map(({ id }) => id),
    attempts: totals.attempts,
    cost_usd: toUsd(totals.costMicroUsd),
    estimated_usd: toUsd(totals.estimatedMicroUsd),
    simulated: isSimulated(run.backend),
  };
}
