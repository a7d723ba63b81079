import type { Command } from "commander";
import { isSimulated } from "../../../engine/ports/backend.ts";
import { counted } from "../../../language/basics/counted.ts";
import { formatUsd, toUsd } from "../../../language/basics/money.ts";
import { printable } from "../../../log/printable.ts";
import { stepName } from "../../../machine/model/gate.ts";
import { spent } from "../../../machine/model/run-state.ts";
import { rerunErrors } from "../../../run/errors.ts";
import { rerun } from "../../../run/rerun.ts";
import { planRerun, type RerunPlan } from "../../../run/rerun-plan.ts";
import { editIn } from "../../../wire/system/editor.ts";
import { attend } from "../../attend.ts";
import { printJson } from "../../output.ts";
import { action, RUN_HELP } from "../../parse/options.ts";
import {
  addRunOptions,
  type RunOptions,
  refuseMisplaced,
  settingsOf,
} from "../../parse/run-options.ts";
import type { Shell } from "../../shell.ts";
import { refuseFleet, type WhichRuns } from "../fleet/in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("<run>", RUN_HELP)
    .argument("<step>", "Step number, or a state: the last time it was entered")
    .option("--files", "Work in a new git worktree, with the files before the step")
    .option("--edit", "Open the file of the state in $VISUAL or $EDITOR first")
    .addOption(
      command
        .createOption("--dry-run", "Only show the cost of the steps that are not repeated")
        .conflicts("edit"),
    );
  addRunOptions(command, "rerun")
    .addOption(command.createOption("--fleet").hideHelp())
    .option("--no-fleet", "Use a run of this project even if RAYMOND_FLEET is set")
    .action(
      action(shell, (options: RerunOptions & WhichRuns) => {
        refuseFleet("rerun", NOT_IN_FLEET, options, shell);
        return rerunCommand(options, shell);
      }),
    );
}

const NOT_IN_FLEET =
  "Its conversations and files are on the machine that ran it. Start a new run with: raymond submit WORKFLOW. Continue a run with: raymond resume RUN.";

interface RerunOptions extends RunOptions {
  readonly run: string;
  readonly step: string;
  readonly edit?: true;
  readonly dryRun?: true;
  readonly files?: true;
}

/** Returns the exit code of the run. */
export async function rerunCommand(options: RerunOptions, shell: Shell): Promise<number> {
  refuseMisplaced(options, "rerun");
  const { run, stateDir, step: from, runId: id } = options;
  const wanted = { run, stateDir, from, trustProject: options.trustProject };
  if (options.dryRun === true) {
    const plan = await planRerun(wanted, shell);
    if (options.json === true) printJson(shell.out, planJson(plan));
    else for (const line of formatPlan(plan)) shell.out.line(printable(line));
    return 0;
  }
  if (options.edit === true && shell.ask === null) throw rerunErrors["run/no-terminal"]();
  const edit = options.edit === true ? (file: string) => editIn(shell, file) : undefined;
  const settings = settingsOf(options);
  return attend(
    (driving) => rerun({ ...wanted, id, settings, edit, files: options.files, ...driving }, shell),
    options,
    shell,
  );
}

function formatPlan({ point, run }: RerunPlan): readonly string[] {
  const { agents, totals } = point.run;
  const [step, cost] = [String(point.step), formatUsd(spent(point.run))];
  const attempts = counted(totals.attempts, "attempt");
  const others = agents.length - 1;
  return [
    `Before step ${step} (${stepName(point.agent)} of ${point.agent.id}) ${run.id} had spent ${cost} on ${attempts}, which a rerun from this step does not repeat.`,
    ...(others === 0
      ? []
      : [`${counted(others, "more agent")} would continue from there as well.`]),
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
