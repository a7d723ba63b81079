import type { Command } from "commander";
import { shellWord } from "../../../console/shell-word.ts";
import { type DamagedRun, inspectDamaged } from "../../../inspect/damaged-run.ts";
import { reportJson } from "../../../inspect/json/report-json.ts";
import { report } from "../../../inspect/report.ts";
import { readRun } from "../../../inspect/run-view.ts";
import { counted } from "../../../language/basics/counted.ts";
import { RaymondError } from "../../../language/basics/errors.ts";
import { formatUsd, toMicroUsd } from "../../../language/basics/money.ts";
import { printable } from "../../../log/printable.ts";
import type { Wanted } from "../../../wire/stores.ts";
import { printJson } from "../../output.ts";
import { actionOnRuns, JSON_OBJECT, runArgument, runSelection } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { formatPage } from "../../status/page.ts";

export function define(command: Command, shell: Shell): void {
  runArgument(command).option(...JSON_OBJECT);
  runSelection(command).action(actionOnRuns(shell, statusCommand));
}

interface StatusOptions extends Wanted {
  readonly json?: true;
}

export async function statusCommand(options: StatusOptions, shell: Shell): Promise<void> {
  const view = await readRun(options, shell).catch(async (error: unknown) => {
    if (error instanceof RaymondError && error.code === "store/damaged-state") {
      await printDamaged(options, shell);
    }
    throw error;
  });
  const shown = await report(view, shell);
  if (options.json === true) printJson(shell.out, reportJson(shown));
  else for (const line of formatPage(shown, shell.outColumns)) shell.out.line(line);
}

async function printDamaged(options: StatusOptions, shell: Shell): Promise<void> {
  const damaged = await inspectDamaged(options, shell);
  if (damaged === null) return;
  if (options.json === true) printJson(shell.out, damagedRunJson(damaged));
  else for (const line of formatDamagedRun(damaged)) shell.out.line(printable(line));
}

function formatDamagedRun(damaged: DamagedRun): readonly string[] {
  const { id, log, history, transcripts, again, program } = damaged;
  const { workflow, until, attempts, totalUsd, agents } = history;
  return [
    `run       ${id}`,
    "status    unreadable: its state file is damaged. From its event log:",
    `log       ${log}, until ${until}`,
    ...(workflow === null ? [] : [`workflow  ${workflow}`]),
    `cost      ${formatUsd(toMicroUsd(totalUsd))} in ${counted(attempts, "attempt")}`,
    ...(transcripts === null ? [] : [`sessions  ${transcripts}`]),
    "agents",
    ...[...agents].map(([agent, { state, result, problem }]) => {
      if (result !== null) return `  ${agent} ended in ${state} with: ${startOf(result)}`;
      if (problem !== null) return `  ${agent} failed in ${state}: ${startOf(problem)}`;
      return `  ${agent} was at ${state}`;
    }),
    "next",
    "  Restore the state file from a backup and resume the run.",
    ...(again === null
      ? []
      : [
          `  Or start a new run at the state of main, without its conversation: ${program} ${shellWord(again)}`,
        ]),
  ];
}

function damagedRunJson({ id, log, history, transcripts }: DamagedRun): object {
  const { workflow, until, attempts, totalUsd, agents } = history;
  return {
    workflow_id: id,
    status: "unreadable",
    workflow,
    total_cost_usd: totalUsd,
    attempts,
    until,
    agents: Object.fromEntries(agents),
    log,
    transcripts,
  };
}

function startOf(text: string): string {
  const [first = "", ...rest] = text.split("\n");
  return first.slice(0, 160) + (rest.length > 0 || first.length > 160 ? " …" : "");
}
