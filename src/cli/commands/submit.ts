import { parseDurationFlag } from "../../config/flags.ts";
import type { RunId } from "../../core/machine/run-state.ts";
import { fetchCommand } from "../../fleet/git/refs.ts";
import type { SubmitOptions } from "../../fleet/submit.ts";
import { printable } from "../../observers/printable.ts";
import type { HeldUp } from "../../ports/store.ts";
import { FLEET_VARIABLE } from "../../runs/fleet-variable.ts";
import { submittedJson } from "../../runs/json/report-json.ts";
import { fleetUrl } from "../../runs/wire/fleet.ts";
import { beginTime } from "../begin-time.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { heldWords } from "../held-words.ts";
import { settingsOf, variablesOf } from "../run-flags.ts";
import { type RunOptions, refuseMisplaced } from "../run-options.ts";
import { sessionsOf } from "../sessions-flag.ts";
import type { Shell } from "../shell.ts";
import { type WorkspaceFlags, workspaceBy } from "../submit-workspace.ts";

/** What a submitted run takes beside the flags of a run. */
export interface SubmitCommandOptions extends RunOptions, WorkspaceFlags {
  readonly pool?: string;
  readonly account?: string;
  readonly machine?: string;
  readonly sessions?: string;
  readonly failoverAfter?: string;
  readonly at?: string;
  readonly every?: string;
  readonly timeZone?: string;
  /** `--wait`; `--no-wait` is the setting of that name. */
  readonly untilEnd?: boolean;
  readonly url?: string;
}

/** `raymond submit WORKFLOW`: gives a run to the fleet, and prints its id; with `--wait` returns its exit code. */
export async function submitCommand(
  workflow: string,
  options: SubmitCommandOptions,
  shell: Shell,
): Promise<ExitCode> {
  if (options.every !== undefined || options.timeZone !== undefined) {
    const { scheduleRuns } = await import("../schedule-runs.ts");
    return scheduleRuns(options, () => wantedRun(workflow, options, shell), shell);
  }
  const { run, heldUp } = await submitRun(workflow, options, shell);
  for (const line of heldWords(run, heldUp)) shell.err.line(line);
  if (options.url !== undefined && options.url !== shell.env[FLEET_VARIABLE]) {
    shell.err.line(`Other commands find ${run} where ${FLEET_VARIABLE} is that URL.`);
  }
  if (options.untilEnd === true) {
    const { untilEnd } = await import("../until-end.ts");
    return untilEnd(run, options, shell);
  }
  shell.out.line(options.json === true ? JSON.stringify(submittedJson(run, heldUp)) : run);
  return EXIT.completed;
}

/** A run that is in its queue, and why nobody begins it, where it is known. */
interface SubmittedRun {
  readonly run: RunId;
  readonly heldUp: readonly HeldUp[];
}

async function submitRun(
  workflow: string,
  options: SubmitCommandOptions,
  shell: Shell,
): Promise<SubmittedRun> {
  refuseMisplaced(options, "start");
  const { at } = options;
  const begins = at === undefined ? undefined : beginTime(at, shell.now());
  const { openFleetRuns } = await import("../../fleet/open.ts");
  const { submit } = await import("../../fleet/submit.ts");
  const fleet = await openFleetRuns(fleetUrl(options, shell), shell);
  try {
    const wanted = await wantedRun(workflow, options, shell);
    const run = await submit({ ...wanted, at: begins }, fleet, shell);
    const { workspace } = wanted.placement;
    if (workspace.kind === "git") {
      shell.err.line(printable(`Its files: ${fetchCommand(run, workspace.repository)}`));
    }
    return { run, heldUp: (await fleet.store.remote?.heldUp(run)) ?? [] };
  } finally {
    await fleet.close();
  }
}

/** What the run is to be, as the flags say it. */
async function wantedRun(
  workflow: string,
  options: SubmitCommandOptions,
  shell: Shell,
): Promise<Omit<SubmitOptions, "at">> {
  const warn = (message: string) => {
    shell.err.line(`${shell.style.warning("warning:")} ${printable(message)}`);
  };
  const { USUAL_PLACEMENT: usual } = await import("../../fleet/submit.ts");
  const { input, workflowId: id, start, simulate, stateDir, trustProject, failoverAfter } = options;
  return {
    ...{ workflow, id, start, simulate, stateDir, trustProject },
    settings: settingsOf(options),
    attributes: variablesOf(options),
    input: input === "-" ? () => shell.readStdin() : input,
    placement: {
      pool: options.pool ?? usual.pool,
      account: options.account ?? usual.account,
      pinned: options.machine ?? usual.pinned,
      workspace: await workspaceBy(options, shell, warn),
      sessions: sessionsOf(options, shell),
      failoverAfterMs:
        failoverAfter === undefined
          ? usual.failoverAfterMs
          : parseDurationFlag("--failover-after", failoverAfter),
    },
    warn,
  };
}
