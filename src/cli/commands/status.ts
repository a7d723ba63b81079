import { readFile, stat } from "node:fs/promises";
import type { RunState } from "../../core/machine/run-state.ts";
import { type RunHistory, readHistory } from "../../observers/event-history.ts";
import { printable } from "../../observers/printable.ts";
import type { Artifacts } from "../../ports/artifacts.ts";
import type { LockHolder } from "../../ports/store.ts";
import type { FoundProcess } from "../../process/sweep.ts";
import { findLeftovers } from "../../runs/wire/leftovers.ts";
import { nameRun } from "../../runs/wire/stores.ts";
import { DamagedStateError, UnknownRunError } from "../../stores/errors.ts";
import { damagedRunJson, formatDamagedRun, readDamagedRun } from "../damaged-run.ts";
import type { Shell } from "../shell.ts";
import { formatPage } from "../status/page.ts";
import { reportOf } from "../status/report.ts";
import { reportJson } from "../status/report-json.ts";

interface StatusOptions {
  readonly json?: true;
  readonly stateDir?: string;
}

/** `raymond status`: where a run stands, and what to do next. Never locks, never writes. */
export async function statusCommand(
  wanted: string,
  options: StatusOptions,
  shell: Shell,
): Promise<void> {
  const { id, store, program } = await nameRun({ run: wanted, ...options }, shell);
  const artifacts = await store.artifacts(id);
  const run = await store.load(id).catch(async (error: unknown) => {
    const damaged = error instanceof DamagedStateError ? await readDamagedRun(id, artifacts) : null;
    if (damaged !== null && options.json === true) {
      shell.out.line(JSON.stringify(damagedRunJson(damaged), null, 2));
    } else if (damaged !== null) {
      for (const line of formatDamagedRun(damaged, program)) shell.out.line(printable(line));
    }
    throw error;
  });
  if (run === undefined) throw new UnknownRunError(wanted);
  const holder = await store.holder(id);
  const { debug } = artifacts;
  const report = reportOf({
    run,
    status: effectiveStatus(run, holder),
    holder,
    history: await historyOf(artifacts),
    survivors: holder === null ? await survivorsOf(run, artifacts) : [],
    debug: (await stat(debug).catch(() => null)) === null ? null : debug,
    now: shell.now(),
    program,
  });
  if (options.json === true) shell.out.line(JSON.stringify(reportJson(report), null, 2));
  else for (const line of formatPage(report, shell.outColumns)) shell.out.line(line);
}

/** A run that says running while nobody runs it has crashed. */
export function effectiveStatus(run: RunState, holder: LockHolder | null): string {
  const live = run.status === "running" || run.status === "waiting";
  if (!live) return run.status;
  if (holder === null) return "crashed";
  return run.stopReason === null ? run.status : "stopping";
}

/** What the event log tells; null where it cannot be read: it is evidence, no state, and less is told then. */
export async function historyOf({ events }: Pick<Artifacts, "events">): Promise<RunHistory | null> {
  const text = await readFile(events, "utf8").catch(() => null);
  return text === null ? null : readHistory(text);
}

/** What lives on of a run that nobody holds; nothing where the platform does not show it. */
function survivorsOf({ token }: RunState, { groups }: Artifacts): Promise<readonly FoundProcess[]> {
  return findLeftovers(token, groups).catch(() => []);
}
