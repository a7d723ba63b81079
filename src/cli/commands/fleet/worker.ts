import { mkdir } from "node:fs/promises";
import { userInfo } from "node:os";
import path from "node:path";
import type { Command } from "commander";
import { BadFlagError } from "../../../config/errors.ts";
import { parseCount, parseDurationFlag } from "../../../config/flags.ts";
import { fleetUrl } from "../../../fleet/admin/fleet.ts";
import { requireName } from "../../../fleet/admin/names.ts";
import type { WorkerOptions } from "../../../fleet/worker/worker-options.ts";
import { counted } from "../../../language/basics/counted.ts";
import { DEFAULT_POOL } from "../../../language/basics/default-pool.ts";
import { printable } from "../../../log/printable.ts";
import { type FleetSource, fleetSource } from "../../../wire/fleet-variable.ts";
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
}

async function workerCommand(options: WorkerCommandOptions, shell: Shell): Promise<ExitCode> {
  const { machine, stateDir } = options;
  const slots = options.slots === undefined ? SLOTS : parseCount("--slots", options.slots);
  if (slots === 0)
    throw new BadFlagError("--slots", "0", "the number of concurrent runs, 1 or more");
  const pools = [...new Set(options.pool ?? [DEFAULT_POOL])];
  for (const pool of pools) requireName("pool", pool, "--pool");
  const timing = {
    ...(options.poll !== undefined && { pollMs: within("--poll", options.poll, POLLS) }),
    ...(options.ttl !== undefined && { ttlMs: within("--ttl", options.ttl, TTLS) }),
  };
  if (options.printUnit === true) {
    const { unitFile } = await import("../../../fleet/worker/unit-file.ts");
    shell.out.write(
      unitFile({
        ...{ pools, slots, machine, cwd: shell.cwd, user: userInfo().username },
        stepUser: options.stepUser,
        path: shell.env["PATH"] ?? "",
        accounts: { file: options.accounts, names: options.account ?? [] },
      }),
    );
    return EXIT.completed;
  }
  const { runWorker } = await import("../../../fleet/worker/worker.ts");
  const { requireReadiness, reportDatabase } = await import("../../../fleet/worker/readiness.ts");
  const report = (line: string) => {
    shell.err.line(printable(line));
  };
  const warn = (message: string) => {
    report(`warning: ${message}`);
  };
  const accounts = await accountsHere(options, shell, warn);
  const url = fleetUrl(options, shell);
  const source = options.url === undefined ? fleetSource(shell.env) : null;
  const stepUser = await stepUserOf(options, source, shell);
  if (stepUser === undefined && source?.kind !== "file") {
    const { isUrlShown } = await import("../../../wire/trust/hidden-url.ts");
    if (isUrlShown(url)) {
      warn(
        "Steps can read the database URL in the environment or the command line of this process. Put it into a file and set RAYMOND_FLEET_FILE, or use --step-user.",
      );
    }
  }
  await requireReadiness({ stateDir }, shell);
  await reportDatabase(url, shell, report);
  const signals = controlBySignals(process, () => {
    report(
      "Shutting down: runs are interrupted and will resume when a worker of this machine starts.",
    );
  });
  signals.listen();
  const ended = await runWorker(
    {
      ...{
        url,
        pools,
        slots,
        machine,
        stateDir,
        log: report,
        accounts,
        stepUser,
        version: VERSION,
      },
      signal: signals.control.interrupt,
      ...timing,
      onReady: (id) => {
        const names = Object.keys(accounts);
        const suffix = names.length === 0 ? "" : `, accounts ${names.map(quoted).join(", ")}`;
        report(
          `Worker ready: machine "${id}", ${pools.length === 1 ? "pool" : "pools"} ${pools.map(quoted).join(", ")}, ${counted(slots, "slot")}${suffix}.`,
        );
      },
    },
    shell,
  );
  if (ended.kind === "asked") return EXIT.completed;
  report(`This worker's lease has expired. Its steps were terminated. ${ended.why}`);
  return EXIT.failed;
}

/** The user of steps. Rejects if that user can read the secrets of the worker. */
async function stepUserOf(
  options: WorkerCommandOptions,
  source: FleetSource | null,
  shell: Shell,
): Promise<WorkerOptions["stepUser"]> {
  if (options.stepUser === undefined) return undefined;
  const { findStepUser, requireSeparation } = await import("../../../fleet/worker/step-user.ts");
  const { stateRoot } = await import("../../../wire/stores.ts");
  const user = findStepUser(options.stepUser);
  const root = await stateRoot(options, shell);
  await mkdir(root, { recursive: true, mode: 0o700 });
  const secrets = [
    await accountsFile(options, shell),
    ...(source?.kind === "file" ? [source.file] : []),
  ];
  const { start } = (await shell.system()).processes;
  await requireSeparation(user, { root, secrets, start });
  return user;
}

async function accountsFile(
  { accounts: given }: Pick<WorkerCommandOptions, "accounts">,
  { cwd, env }: Pick<Shell, "cwd" | "env">,
): Promise<string> {
  const { defaultAccountsFile } = await import("../../../fleet/accounts/accounts-file.ts");
  return given === undefined ? defaultAccountsFile(env, PLATFORM) : path.resolve(cwd, given);
}

const PLATFORM = process.platform === "win32" ? "windows" : "unix";

/** The selected accounts of the file, with their credentials. */
async function accountsHere(
  options: WorkerCommandOptions,
  shell: Shell,
  warn: (message: string) => void,
): Promise<NonNullable<WorkerOptions["accounts"]>> {
  const { accounts: given, account: wanted } = options;
  const { pickAccounts, readAccounts } = await import("../../../fleet/accounts/accounts-file.ts");
  const platform = PLATFORM;
  const file = await accountsFile(options, shell);
  const read = await readAccounts(file, platform);
  if (read === null && given !== undefined) {
    throw new BadFlagError("--accounts", given, "an existing file");
  }
  for (const message of read?.warnings ?? []) warn(message);
  return pickAccounts(read?.accounts ?? {}, wanted ?? null, file);
}

function quoted(name: string): string {
  return `"${name}"`;
}

const SLOTS = 20;

interface Range {
  readonly least: string;
  readonly most: string;
}

/** A lease is renewed six times during its duration, over a network. */
const TTLS = { least: "1s", most: "1h" };
const POLLS = { least: "10ms", most: "1h" };

function within(flag: string, given: string, { least, most }: Range): number {
  const ms = parseDurationFlag(flag, given);
  if (ms >= parseDurationFlag(flag, least) && ms <= parseDurationFlag(flag, most)) return ms;
  throw new BadFlagError(flag, given, `a duration from ${least} to ${most}`);
}
