import { mkdir } from "node:fs/promises";
import { userInfo } from "node:os";
import path from "node:path";
import { BadFlagError } from "../../config/errors.ts";
import { parseDurationFlag, parseNumberOf } from "../../config/flags.ts";
import { USUAL_POOL } from "../../core/usual-pool.ts";
import { requireName } from "../../fleet/names.ts";
import type { WorkerOptions } from "../../fleet/worker.ts";
import { printable } from "../../observers/printable.ts";
import { type FleetSource, fleetSource } from "../../runs/fleet-variable.ts";
import { fleetUrl } from "../../runs/wire/fleet.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import type { Shell } from "../shell.ts";
import { controlBySignals } from "../signals.ts";
import { VERSION } from "../version.ts";

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

/** `raymond worker`: takes runs of a fleet and goes on with them, until it is told to end. */
export async function workerCommand(
  options: WorkerCommandOptions,
  shell: Shell,
): Promise<ExitCode> {
  const { machine, stateDir } = options;
  const slots = options.slots === undefined ? SLOTS : parseNumberOf("--slots", options.slots);
  if (slots === 0) throw new BadFlagError("--slots", "0", "how many runs at once, 1 or more");
  const pools = [...new Set(options.pool ?? [USUAL_POOL])];
  for (const pool of pools) requireName("pool", pool, "--pool");
  const timing = {
    ...(options.poll !== undefined && { pollMs: within("--poll", options.poll, POLLS) }),
    ...(options.ttl !== undefined && { ttlMs: within("--ttl", options.ttl, TTLS) }),
  };
  if (options.printUnit === true) {
    const { unitFile } = await import("../../fleet/unit-file.ts");
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
  const { work } = await import("../../fleet/worker.ts");
  const { requireReadiness, tellDatabase } = await import("../../fleet/readiness.ts");
  const tell = (line: string) => {
    shell.err.line(printable(line));
  };
  const warn = (message: string) => {
    tell(`warning: ${message}`);
  };
  const accounts = await accountsHere(options, shell, warn);
  const url = fleetUrl(options, shell);
  const source = options.url === undefined ? fleetSource(shell.env) : null;
  const stepUser = await stepUserOf(options, source, shell);
  if (stepUser === undefined && source?.kind !== "file") {
    const { isUrlShown } = await import("../../runs/wire/hidden-url.ts");
    if (isUrlShown(url)) {
      warn(
        "Steps can read the URL of the database in the environment or the command line of this process. Name a file with it by RAYMOND_FLEET_FILE, or use --step-user.",
      );
    }
  }
  await requireReadiness({ stateDir }, shell);
  await tellDatabase(url, shell, tell);
  const signals = controlBySignals(process, () => {
    tell("Ends: its runs are interrupted, and go on when a worker of this machine is back.");
  });
  signals.listen();
  const ended = await work(
    {
      ...{ url, pools, slots, machine, stateDir, tell, accounts, stepUser, version: VERSION },
      until: signals.control.interrupt,
      ...timing,
      ready: (id) => {
        const names = Object.keys(accounts);
        const also = names.length === 0 ? "" : ` It has the accounts ${names.join(", ")}.`;
        tell(
          `The machine ${id} takes runs of ${pools.join(", ")}: ${String(slots)} at once.${also}`,
        );
      },
    },
    shell,
  );
  if (ended.kind === "asked") return EXIT.completed;
  tell(`This worker has lost its lease, and has ended all that it had started. ${ended.why}`);
  return EXIT.failed;
}

/** Whom steps are to run as; rejects where that user could read what is for the worker alone. */
async function stepUserOf(
  options: WorkerCommandOptions,
  source: FleetSource | null,
  shell: Shell,
): Promise<WorkerOptions["stepUser"]> {
  if (options.stepUser === undefined) return undefined;
  const { findStepUser, requireSeparation } = await import("../../fleet/step-user.ts");
  const { stateRoot } = await import("../../runs/wire/stores.ts");
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
  const { usualAccountsFile } = await import("../../fleet/accounts-file.ts");
  return given === undefined ? usualAccountsFile(env, PLATFORM) : path.resolve(cwd, given);
}

const PLATFORM = process.platform === "win32" ? "windows" : "unix";

/** Those of the file that are meant, with their credentials. */
async function accountsHere(
  options: WorkerCommandOptions,
  shell: Shell,
  warn: (message: string) => void,
): Promise<NonNullable<WorkerOptions["accounts"]>> {
  const { accounts: given, account: meant } = options;
  const { pickAccounts, readAccounts } = await import("../../fleet/accounts-file.ts");
  const platform = PLATFORM;
  const file = await accountsFile(options, shell);
  const read = await readAccounts(file, platform);
  if (read === null && given !== undefined) {
    throw new BadFlagError("--accounts", given, "a file that is there");
  }
  for (const message of read?.warnings ?? []) warn(message);
  return pickAccounts(read?.accounts ?? {}, meant ?? null, file);
}

const SLOTS = 20;

interface Span {
  readonly least: string;
  readonly most: string;
}

/** A lease is renewed six times in it, over a network; what is gone for longer than an hour, somebody should know. */
const TTLS = { least: "1s", most: "1h" };
const POLLS = { least: "10ms", most: "1h" };

function within(flag: string, given: string, { least, most }: Span): number {
  const ms = parseDurationFlag(flag, given);
  if (ms >= parseDurationFlag(flag, least) && ms <= parseDurationFlag(flag, most)) return ms;
  throw new BadFlagError(flag, given, `a duration from ${least} to ${most}`);
}
