import { RaymondError } from "../core/errors.ts";
import { nearest } from "../core/nearest.ts";

/** A text that cannot name a machine, a pool or an account. */
export class BadNameError extends RaymondError {
  override readonly name = "BadNameError";
  readonly code = "fleet/bad-name";

  constructor(what: "machine" | "pool" | "account", given: string, problem: string, where: string) {
    super(
      `"${given}" cannot name ${what === "account" ? "an account" : `a ${what}`}: it ${problem}.`,
      {
        hint: `It stands in ${where}.`,
      },
    );
  }
}

/** The files of a workflow are more than a fleet takes. */
export class WorkflowTooLargeError extends RaymondError {
  override readonly name = "WorkflowTooLargeError";
  readonly code = "fleet/workflow-too-large";

  constructor(workflow: string, bytes: number, most: number) {
    const mib = (n: number) => (n / 1024 ** 2).toFixed(n % 1024 ** 2 === 0 ? 0 : 1);
    super(`${workflow} is packed to ${mib(bytes)} MiB, and a fleet takes ${mib(most)} MiB.`, {
      hint: "Keep what the scripts only need to read elsewhere, in the workspace say; what is hidden (a name with a dot) is not packed.",
    });
  }
}

/** The files of a workflow were changed while they were packed. */
export class WorkflowChangedError extends RaymondError {
  override readonly name = "WorkflowChangedError";
  readonly code = "fleet/workflow-changed";

  constructor(workflow: string) {
    super(`${workflow} was changed while it was packed, again and again.`, {
      hint: "Submit it when nobody writes there; nothing was submitted.",
    });
  }
}

/** No worker of the fleet is what a run was to be placed on. */
export class NobodyToRunError extends RaymondError {
  override readonly name = "NobodyToRunError";
  readonly code = "fleet/nobody-there";

  constructor(what: "machine" | "pool" | "account", wanted: string, known: readonly string[]) {
    const near = nearest(wanted, known);
    const known_ = known.length === 0 ? "None has been seen yet." : `Known: ${known.join(", ")}.`;
    const guess = near === null ? "" : `Did you mean ${near}? `;
    super(`No worker has ever listened for the ${what} ${wanted}.`, {
      hint: `${guess}${known_} ${START[what](wanted)}`,
    });
  }
}

const START = {
  machine: (name: string) => `Start one there: raymond worker --machine ${name}`,
  pool: (name: string) => `Start one: raymond worker --pool ${name}`,
  account: (name: string) =>
    `Start one that has [accounts.${name}] in its accounts.toml (docs/fleet.md, "Accounts").`,
};

/** Steps cannot run as the user that `--step-user` names. */
export class StepUserError extends RaymondError {
  override readonly name = "StepUserError";
  readonly code = "fleet/step-user";

  constructor(user: string, problem: string) {
    super(`Steps cannot run as the user ${user}: ${problem}.`, {
      hint: 'See docs/security.md, "A fleet", for the permissions that --step-user needs.',
    });
  }
}

/** A worker is to have an account that its file does not. */
export class AccountNotHereError extends RaymondError {
  override readonly name = "AccountNotHereError";
  readonly code = "fleet/account-not-here";

  constructor(wanted: string, known: readonly string[], file: string) {
    const near = nearest(wanted, known);
    super(`There is no account ${wanted} in ${file}.`, {
      hint:
        near !== null
          ? `Did you mean ${near}?`
          : `Write [accounts.${wanted}] there (docs/fleet.md, "Accounts").`,
    });
  }
}

/** No worker has had an account whose limits are to be set. */
export class UnknownAccountError extends RaymondError {
  override readonly name = "UnknownAccountError";
  readonly code = "fleet/unknown-account";

  constructor(name: string, known: readonly string[]) {
    const near = nearest(name, known);
    const all = known.length === 0 ? "None is known yet." : `Known: ${known.join(", ")}.`;
    super(`No worker has ever had the account ${name}, so nothing was set.`, {
      hint:
        near === null
          ? `${all} ${START.account(name)} Then set its limits.`
          : `Did you mean ${near}?`,
    });
  }
}

/** No machine on which a run may be has its account. */
export class AccountElsewhereError extends RaymondError {
  override readonly name = "AccountElsewhereError";
  readonly code = "fleet/account-elsewhere";

  constructor(account: string, where: string, machines: readonly string[]) {
    super(`The account ${account} is not known to ${where}.`, {
      hint: `These have it: ${machines.join(", ")}. Submit it to one of them, or start a worker there that has its credentials (docs/fleet.md, "Accounts").`,
    });
  }
}

/** The folder that a run works in is not on the machine that took it. */
export class WorkspaceGoneError extends RaymondError {
  override readonly name = "WorkspaceGoneError";
  readonly code = "fleet/workspace-gone";

  constructor(folder: string, machine: string, kind: "local" | "shared") {
    super(`The folder ${folder} is not on the machine ${machine}.`, {
      hint:
        kind === "shared"
          ? "A shared workspace has the same path on all machines of the pool: mount it there, or leave --workspace shared out."
          : "Make it there, or submit without --folder: then the run gets a folder of its own.",
    });
  }
}

/** The folder that a run keeps its conversations in is not on the machine that took it. */
export class SessionsFolderGoneError extends RaymondError {
  override readonly name = "SessionsFolderGoneError";
  readonly code = "fleet/sessions-folder-gone";

  constructor(folder: string) {
    super(`The folder ${folder} of --sessions is not on this machine.`, {
      hint: "It has the same path on all machines of the pool: mount it there, or submit with --sessions pg.",
    });
  }
}

/** The files of a run are on its home alone. */
export class NotMovableError extends RaymondError {
  override readonly name = "NotMovableError";
  readonly code = "fleet/not-movable";

  constructor(run: string, home: string | null) {
    super(`The files of ${run} are only on the machine ${home ?? "that takes it"}.`, {
      hint: "What may move is submitted with --workspace git, or with shared in a folder that all machines have. One of git waits until its last files are pushed: `raymond status` tells its folder.",
    });
  }
}

/** A run that lies in the database and was never submitted. */
export class NotSubmittedError extends RaymondError {
  override readonly name = "NotSubmittedError";
  readonly code = "fleet/not-submitted";

  constructor(run: string) {
    super(`The run ${run} is in no queue of the fleet: its submit was cut off.`, {
      hint: `Delete it, and submit it again: raymond prune ${run} --yes`,
    });
  }
}

/** The worker that goes on with a run ends: what was saved last stays. */
export class WorkerOverError extends RaymondError {
  override readonly name = "WorkerOverError";
  readonly code = "fleet/worker-over";

  constructor(run: string) {
    super(`The worker that goes on with ${run} ends.`, {
      hint: "It goes on when the worker is back, or on another machine.",
    });
  }
}

/** An expression of cron, or a time zone, that is none. */
export class BadScheduleError extends RaymondError {
  override readonly name = "BadScheduleError";
  readonly code = "fleet/bad-schedule";

  constructor(what: "--every" | "--time-zone", given: string, problem: string) {
    super(`${what} cannot be "${given}": it ${problem}.`, {
      hint:
        what === "--every"
          ? 'Five fields say when: minute, hour, day of the month, month, day of the week. "0 3 * * 1-5" is at three from Monday to Friday, @hourly at each full hour.'
          : "A name of the time zone database, such as Europe/Berlin; without the flag it is UTC.",
    });
  }
}

/** There is a schedule of that name. */
export class ScheduleExistsError extends RaymondError {
  override readonly name = "ScheduleExistsError";
  readonly code = "fleet/schedule-exists";

  constructor(schedule: string) {
    super(`There is a schedule ${schedule} already.`, {
      hint: `Name this one by --workflow-id, or remove that: raymond schedules remove ${schedule}`,
    });
  }
}

/** There is no schedule of that name. */
export class UnknownScheduleError extends RaymondError {
  override readonly name = "UnknownScheduleError";
  readonly code = "fleet/unknown-schedule";

  constructor(schedule: string, known: readonly string[]) {
    const near = nearest(schedule, known);
    super(`There is no schedule ${schedule}.`, {
      hint:
        known.length === 0
          ? "There is none at all: raymond submit WORKFLOW --every CRON makes one."
          : `${near === null ? "" : `Did you mean ${near}? `}There are: ${known.join(", ")}.`,
    });
  }
}
