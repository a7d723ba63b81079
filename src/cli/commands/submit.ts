import path from "node:path";
import { BadFlagError } from "../../config/errors.ts";
import { parseDurationFlag } from "../../config/flags.ts";
import type { RunId } from "../../core/machine/run-state.ts";
import type { SubmitOptions } from "../../fleet/submit.ts";
import { printable } from "../../observers/printable.ts";
import { fleetUrl } from "../../runs/wire/fleet.ts";
import { beginTime } from "../begin-time.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { settingsOf, variablesOf } from "../run-flags.ts";
import { type RunOptions, refuseMisplaced } from "../run-options.ts";
import { sessionsOf } from "../sessions-flag.ts";
import type { Shell } from "../shell.ts";

/** What a submitted run takes beside the flags of a run. */
export interface SubmitCommandOptions extends RunOptions {
  readonly pool?: string;
  readonly account?: string;
  readonly machine?: string;
  readonly workspace?: string;
  readonly folder?: string;
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
  const { openFleetRuns } = await import("../../fleet/open.ts");
  const { submit } = await import("../../fleet/submit.ts");
  const fleet = await openFleetRuns(fleetUrl(options, shell), shell);
  try {
    return await submit(
      {
        ...{ workflow, id, start, simulate, stateDir },
        settings: settingsOf(options),
        attributes: variablesOf(options),
        input: input === "-" ? () => shell.readStdin() : input,
        placement: {
          pool: options.pool ?? "default",
          account: options.account ?? null,
          pinned: options.machine ?? null,
          workspace: workspaceOf(options, shell),
          sessions: sessionsOf(options, shell),
          failoverAfterMs:
            failoverAfter === undefined
              ? FAILOVER_AFTER_MS
              : parseDurationFlag("--failover-after", failoverAfter),
        },
        at: at === undefined ? undefined : beginTime(at, shell.now()),
        warn: (message) => {
          shell.err.line(`${shell.style.warning("warning:")} ${printable(message)}`);
        },
      },
      fleet,
      shell,
    );
  } finally {
    await fleet.close();
  }
}

/** So long a home may be gone, ms: a reboot wins. */
const FAILOVER_AFTER_MS = 120_000;

function workspaceOf(
  { workspace = "local", folder }: SubmitCommandOptions,
  { cwd }: Shell,
): SubmitOptions["placement"]["workspace"] {
  switch (workspace) {
    case "local":
      return { kind: "local", folder: folder === undefined ? null : absolute(folder, cwd) };
    case "shared":
      return { kind: "shared", folder: folder === undefined ? cwd : absolute(folder, cwd) };
    default:
      throw new BadFlagError("--workspace", workspace, "local or shared");
  }
}

function absolute(folder: string, cwd: string): string {
  return path.resolve(cwd, folder);
}
