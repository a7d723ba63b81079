import { parseDurationFlag } from "../../config/flags.ts";
import type { RunId } from "../../core/machine/run-state.ts";
import { fetchCommand } from "../../fleet/git/refs.ts";
import { printable } from "../../observers/printable.ts";
import { fleetUrl } from "../../runs/wire/fleet.ts";
import { beginTime } from "../begin-time.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
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
  const run = await submitRun(workflow, options, shell);
  if (options.untilEnd === true) {
    const { untilEnd } = await import("../until-end.ts");
    return untilEnd(run, options, shell);
  }
  shell.out.line(options.json === true ? JSON.stringify({ workflow_id: run }) : run);
  return EXIT.completed;
}

async function submitRun(
  workflow: string,
  options: SubmitCommandOptions,
  shell: Shell,
): Promise<RunId> {
  refuseMisplaced(options, "start");
  const { input, workflowId: id, start, simulate, stateDir, failoverAfter, at } = options;
  const warn = (message: string) => {
    shell.err.line(`${shell.style.warning("warning:")} ${printable(message)}`);
  };
  const { openFleetRuns } = await import("../../fleet/open.ts");
  const { submit } = await import("../../fleet/submit.ts");
  const fleet = await openFleetRuns(fleetUrl(options, shell), shell);
  try {
    const workspace = await workspaceBy(options, shell, warn);
    const run = await submit(
      {
        ...{ workflow, id, start, simulate, stateDir },
        settings: settingsOf(options),
        attributes: variablesOf(options),
        input: input === "-" ? () => shell.readStdin() : input,
        placement: {
          pool: options.pool ?? "default",
          account: options.account ?? null,
          pinned: options.machine ?? null,
          workspace,
          sessions: sessionsOf(options, shell),
          failoverAfterMs:
            failoverAfter === undefined
              ? FAILOVER_AFTER_MS
              : parseDurationFlag("--failover-after", failoverAfter),
        },
        at: at === undefined ? undefined : beginTime(at, shell.now()),
        warn,
      },
      fleet,
      shell,
    );
    if (workspace.kind === "git") {
      shell.err.line(printable(`Its files: ${fetchCommand(run, workspace.repository)}`));
    }
    return run;
  } finally {
    await fleet.close();
  }
}

/** So long a home may be gone, ms: a reboot wins. */
const FAILOVER_AFTER_MS = 120_000;
