import { RaymondError } from "../../core/errors.ts";
import { printable } from "../../observers/printable.ts";
import { inspectDamaged } from "../../runs/damaged-run.ts";
import { inspect } from "../../runs/inspect.ts";
import { reportJson } from "../../runs/json/report-json.ts";
import { report } from "../../runs/report.ts";
import type { Wanted } from "../../runs/wire/stores.ts";
import { damagedRunJson, formatDamagedRun } from "../damaged-run.ts";
import { printJson } from "../output.ts";
import type { Shell } from "../shell.ts";
import { formatPage } from "../status/page.ts";

interface StatusOptions extends Wanted {
  readonly json?: true;
}

/** `raymond status`: where a run stands, and what to do next. */
export async function statusCommand(options: StatusOptions, shell: Shell): Promise<void> {
  const inspection = await inspect(options, shell).catch(async (error: unknown) => {
    if (error instanceof RaymondError && error.code === "store/damaged-state") {
      await printDamaged(options, shell);
    }
    throw error;
  });
  const told = await report(inspection, shell);
  if (options.json === true) printJson(shell.out, reportJson(told));
  else for (const line of formatPage(told, shell.outColumns)) shell.out.line(line);
}

async function printDamaged(options: StatusOptions, shell: Shell): Promise<void> {
  const damaged = await inspectDamaged(options, shell);
  if (damaged === null) return;
  if (options.json === true) printJson(shell.out, damagedRunJson(damaged));
  else for (const line of formatDamagedRun(damaged)) shell.out.line(printable(line));
}
