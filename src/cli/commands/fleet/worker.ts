import { mkdir } from "node:fs/promises";
import { userInfo } from "node:os";
import path from "node:path";
import type { Command } from "commander";
import { BadFlagError } from "../../../config/errors.ts";
import { parseCount, parseDurationFlag } from "../../../config/flags.ts";
import {
  defaultAccountsFile,
  pickAccounts,
  readAccounts,
} from "../../../fleet/accounts/accounts-file.ts";
import { fleetUrl } from "../../../fleet/admin/fleet.ts";
import { requireName } from "../../../fleet/admin/names.ts";
import { defaultPolicyFile, readPolicy } from "../../../fleet/policy/policy-file.ts";
import type { WorkerOptions } from "../../../fleet/worker/join-fleet.ts";
import { reportDatabase, requireReadiness } from "../../../fleet/worker/readiness.ts";
import { findStepUser, requireSeparation } from "../../../fleet/worker/step-user.ts";
import { unitFile } from "../../../fleet/worker/unit-file.ts";
import { runWorker } from "../../../fleet/worker/worker.ts";
import { counted } from "../../../language/basics/counted.ts";
import { DEFAULT_POOL } from "../../../language/basics/default-pool.ts";
import { printable } from "../../../log/printable.ts";
import { type FleetSource, fleetSource } from "../../../wire/fleet-variable.ts";
import { stateRoot } from "../../../wire/stores.ts";
import { systemPlatform } from "../../../wire/system/system.ts";
import { examples, FLEET_URL } from "../../parse/options.ts";
import { VERSION } from "../../parse/version.ts";
import type { Shell } from "../../shell.ts";
import { controlBySignals } from "../../signals.ts";
import { EXIT, type ExitCode } from "../../words/exit-codes.ts";

export function define(command: Command, shell: Shell): void {
  command
    .option("--pool <pool...>", "Pools to claim runs from (default: default)")
    .option("--slots <n>", "Maximum concurrent runs (default: 20)")
    .option("--machine <machine>", "Machine ID (default: that of the state directory)")
    .option("--accounts <file>", "File of accounts (default: ~/.config/raymond/accounts.toml)")
    .option("--account <account...>", "Use only these accounts (default: all)")
    .option("--step-user <user>", "Run steps as this user, NAME or UID:GID (root only)")
    .option(
      "--policy <file>",
      "File of allowed runs (default: /etc/raymond/worker.toml if it exists)",
    )
    .option("--print-unit", "Print a systemd unit for this worker")
    .option("--poll <duration>", "Poll interval, e.g. 500ms (default: 1s)")
    .option("--ttl <duration>", "Lease duration, e.g. 2m (default: 30s)")
    .option(...FLEET_URL)
    .option("--state-dir <dir>", "Directory of copies, workspaces and files (default: .raymond)")
    .addHelpText(
      "after",
      examples(
        ["raymond worker", "20 concurrent runs of the pool default"],
        ["raymond worker --pool gpu --slots 4", "4 concurrent runs of another pool"],
        ["raymond worker --print-unit", "A systemd unit that starts it at boot"],
      ),
    )
    .action(async (options: WorkerCommandOptions) => {
      shell.exit(await workerCommand(options, shell));
    });
}

interface WorkerCommandOptions {
  readonly pool?: readonly string[];
  readonly slots?: string;
  readonly machine?: string;
  readonly url?: string;
  readonly poll?: string;
  readonly ttl?: string;
  readonly printUnit?: true;
  readonly stateDir?: string;
  readonly accounts?: string;
  readonly account?: readonly string[];
  readonly stepUser?: string;
  readonly policy?: string;
}

async function workerCommand(options: WorkerCommandOptions, shell: Shell): Promise<ExitCode> {
  const { machine, stateDir } = options;
  const slots = options.slots === undefined ? SLOTS : parseCount("--slots", options.slots);
  if (slots === 0)
    throw new BadFlagError("--slots", "0", "the number of concurrent runs, 1 or more");
  const pools = [...new Set(options.pool ?? [DEFAULT_POOL])];
  for (const pool of pools) requireName("pool", pool, "--pool");
  const pollMs = within("--poll", options.poll, "10ms", "1h");
  // A lease is renewed six times during its duration, over a network.
  const ttlMs = within("--ttl", options.ttl, "1s", "1h");
  if (options.printUnit === true) {
    shell.out.write(
      unitFile({
        ...{ pools, slots, machine, cwd: shell.cwd, user: userInfo().username },
        ...{ stepUser: options.stepUser, policy: options.policy },
        path: shell.env["PATH"] ?? "",
        accounts: { file: options.accounts, names: options.account ?? [] },
      }),
    );
    return EXIT.completed;
  }
  return runUntilStopped({ pools, slots, machine, stateDir, pollMs, ttlMs }, options, shell);
}

const SLOTS = 20;

async function runUntilStopped(
  settings: Pick<WorkerOptions, "pools" | "slots" | "machine" | "stateDir" | "pollMs" | "ttlMs">,
  options: WorkerCommandOptions,
  shell: Shell,
): Promise<ExitCode> {
  const log = (line: string) => {
    shell.err.line(printable(line));
  };
  const accountsFile =
    options.accounts === undefined
      ? defaultAccountsFile(shell.env, systemPlatform())
      : path.resolve(shell.cwd, options.accounts);
  const accounts = await selectedAccounts(accountsFile, options, log);
  const url = fleetUrl(options, shell);
  const source = options.url === undefined ? fleetSource(shell.env) : null;
  const policy = await policyOf(options, shell);
  const stepUser = await stepUserOf(options, accountsFile, source, shell);
  if (stepUser === undefined && source?.kind !== "file") {
    log(
      "warning: Steps can read the database URL in the environment or the command line of this process. Put it into a file and set RAYMOND_FLEET_FILE, or use --step-user.",
    );
  }
  await requireReadiness(settings, shell);
  await reportDatabase(url, shell, log);
  const signals = controlBySignals(process, () => {
    log(
      "Shutting down: runs are interrupted and will resume when a worker of this machine starts.",
    );
  });
  signals.listen();
  const names = Object.keys(accounts);
  const onReady = (machine: string) => {
    const { pools, slots } = settings;
    const suffix = names.length === 0 ? "" : `, accounts ${quoted(names)}`;
    log(
      `Worker ready: machine "${machine}", ${pools.length === 1 ? "pool" : "pools"} ${quoted(pools)}, ${counted(slots, "slot")}${suffix}.`,
    );
  };
  const ended = await runWorker(
    {
      ...{ ...settings, url, accounts, stepUser, policy, log, onReady },
      version: VERSION,
      signal: signals.control.interrupt,
    },
    shell,
  );
  if (ended.kind === "asked") return EXIT.completed;
  log(`This worker's lease has expired. Its steps were terminated. ${ended.why}`);
  return EXIT.failed;
}

/** Null without a policy file. A file that is named must exist. */
async function policyOf(
  { policy }: WorkerCommandOptions,
  { cwd }: Shell,
): Promise<WorkerOptions["policy"]> {
  const platform = systemPlatform();
  const file = policy === undefined ? defaultPolicyFile(platform) : path.resolve(cwd, policy);
  const read = file === null ? null : await readPolicy(file, platform);
  if (read === null && policy !== undefined) {
    throw new BadFlagError("--policy", policy, "an existing file");
  }
  return read;
}

/** The user of steps. Rejects if that user can read the secrets of the worker. */
async function stepUserOf(
  options: WorkerCommandOptions,
  accountsFile: string,
  source: FleetSource | null,
  shell: Shell,
): Promise<WorkerOptions["stepUser"]> {
  if (options.stepUser === undefined) return undefined;
  const user = findStepUser(options.stepUser);
  const root = await stateRoot(options, shell);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const secrets = [accountsFile, ...(source?.kind === "file" ? [source.file] : [])];
  const { start } = (await shell.system()).processes;
  await requireSeparation(user, { root, secrets, start });
  return user;
}

/** The selected accounts of the file, with their credentials. */
async function selectedAccounts(
  file: string,
  { accounts, account }: WorkerCommandOptions,
  log: (line: string) => void,
): Promise<NonNullable<WorkerOptions["accounts"]>> {
  const read = await readAccounts(file, systemPlatform());
  if (read === null && accounts !== undefined) {
    throw new BadFlagError("--accounts", accounts, "an existing file");
  }
  for (const message of read?.warnings ?? []) log(`warning: ${message}`);
  return pickAccounts(read?.accounts ?? {}, account ?? null, file);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(", ");
}

function within(
  flag: string,
  text: string | undefined,
  least: string,
  most: string,
): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseDurationFlag(flag, text);
  if (ms >= parseDurationFlag(flag, least) && ms <= parseDurationFlag(flag, most)) return ms;
  throw new BadFlagError(flag, text, `a duration from ${least} to ${most}`);
}
