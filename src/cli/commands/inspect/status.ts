import type { Command } from "commander";
import { inspectDamaged } from "../../../inspect/damaged-run.ts";
import { reportJson } from "../../../inspect/json/report-json.ts";
import { report } from "../../../inspect/report.ts";
import { readRun } from "../../../inspect/run-view.ts";
import { RaymondError } from "../../../language/basics/errors.ts";
import { printable } from "../../../log/printable.ts";
import type { Wanted } from "../../../wire/stores.ts";
import { printJson } from "../../output.ts";
import { actionOnRuns } from "../../parse/action.ts";
import { JSON_OBJECT, runArgument, runSelection } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { formatPage } from "../../status/page.ts";
import { damagedRunJson, formatDamagedRun } from "../../words/damaged-run.ts";

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
