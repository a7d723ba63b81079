import type { Command } from "commander";
import { BadFlagError } from "../../../config/errors.ts";
import { parseCount, parseDollars, parseDurationFlag } from "../../../config/flags.ts";
import type { Limits } from "../../../fleet/queue/accounts.ts";
import type { FleetAccount } from "../../../inspect/fleet-board.ts";
import { accountJson } from "../../../inspect/json/fleet-json.ts";
import { examples, FLEET_URL, JSON_LINES } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { cliErrors } from "../../words/errors.ts";
import { formatTable } from "../../words/table.ts";
import { openFleetOf } from "./in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  command
    .option(...JSON_LINES)
    .option(...FLEET_URL)
    .addHelpText(
      "after",
      examples(
        ["raymond fleet limits", "Limits and use of all accounts"],
        ["raymond fleet limits set team --runs 20 --rate 100/1h", "20 at once, 100 starts an hour"],
        ["raymond fleet limits set team --per-day none", "Remove a limit"],
      ),
    )
    .action((options: LimitsOptions) => showLimits(options, shell));
  command
    .command("set")
    .description("Set the limits of an account, for all workers")
    .argument("<account>", "Name of the account")
    .option("--runs <n>", "Maximum concurrent runs, or none")
    .option("--rate <n/duration>", "Maximum starts of runs per duration, e.g. 10/1h, or none")
    .option("--slots <n>", "Maximum concurrent clients, or none")
    .option("--per-day <usd>", "Maximum cost of prompts per day (UTC), or none")
    .option(...JSON_LINES)
    .option(...FLEET_URL)
    .action((account: string, options: LimitsOptions & LimitFlags) =>
      setLimits(account, options, shell),
    );
}

interface LimitFlags {
  readonly runs?: string;
  readonly rate?: string;
  readonly slots?: string;
  readonly perDay?: string;
}

interface LimitsOptions {
  readonly url?: string;
  readonly json?: true;
}

async function showLimits(options: LimitsOptions, shell: Shell): Promise<void> {
  const { listAccounts } = await import("../../../fleet/queue/accounts.ts");
  const fleet = await openFleetOf(shell, options);
  try {
    await print(await listAccounts(fleet.database), options, shell);
  } finally {
    await fleet.close();
  }
}

async function setLimits(
  account: string,
  options: LimitsOptions & LimitFlags,
  shell: Shell,
): Promise<void> {
  const change = changeOf(options);
  if (Object.keys(change).length === 0) {
    throw cliErrors["cli/bad-call"](
      `No limit of ${account} was given.`,
      "Use one of --runs N, --rate N/DURATION, --slots N, --per-day USD. The value none removes a limit.",
    );
  }
  const { changeLimits } = await import("../../../fleet/queue/accounts.ts");
  const fleet = await openFleetOf(shell, options);
  try {
    await print([await changeLimits(fleet.database, account, change)], options, shell);
  } finally {
    await fleet.close();
  }
}

/** `none` removes a limit. */
function changeOf({ runs, rate, slots, perDay }: LimitFlags): Partial<Limits> {
  return {
    ...(runs !== undefined && { runs: orNone(runs, (text) => count("--runs", text)) }),
    ...(rate !== undefined && { rate: orNone(rate, rateOf) }),
    ...(slots !== undefined && { slots: orNone(slots, (text) => count("--slots", text)) }),
    ...(perDay !== undefined && {
      perDayMicroUsd: orNone(perDay, (text) => parseDollars("--per-day", text)),
    }),
  };
}

function orNone<T>(text: string, read: (text: string) => T): T | null {
  return text === "none" ? null : read(text);
}

function count(flag: string, text: string): number {
  const number = parseCount(flag, text);
  if (number === 0) throw new BadFlagError(flag, text, "a number, 1 or more, or none");
  return number;
}

function rateOf(text: string): NonNullable<Limits["rate"]> {
  const [runs = "", span = "", ...more] = text.split("/");
  const expects = "runs per duration, such as 10/1h, or none";
  if (!/^[1-9]\d{0,8}$/.test(runs) || span === "" || more.length > 0)
    throw new BadFlagError("--rate", text, expects);
  const ms = parseDurationFlag("--rate", /^\d/.test(span) ? span : `1${span}`);
  if (ms === 0) throw new BadFlagError("--rate", text, expects);
  return { runs: Number(runs), ms };
}

async function print(
  accounts: readonly FleetAccount[],
  { json }: LimitsOptions,
  shell: Shell,
): Promise<void> {
  if (json === true) {
    for (const account of accounts) shell.out.line(JSON.stringify(accountJson(account)));
    return;
  }
  if (accounts.length === 0) {
    shell.err.line(
      'No worker has an account yet. Accounts are configured in accounts.toml (docs/fleet.md, "Accounts").',
    );
    return;
  }
  const { accountCells } = await import("../../../console/format/account-cells.ts");
  const rows = accounts.map((account) => {
    const { machines, waiting } = account;
    const { runs, rate, slots, today, blocked } = accountCells(accountJson(account), shell.now());
    const why = [waiting === 0 ? "" : `${String(waiting)} waiting`, blocked]
      .filter(Boolean)
      .join("; ");
    return [account.name, machines.join(" ") || "none", runs, rate, slots, today, why];
  });
  const table = [["account", "machines", "runs", "rate", "slots", "today", ""], ...rows];
  for (const line of formatTable(table, table[0]?.map(() => "left" as const) ?? []))
    shell.out.line(line.trimEnd());
}
