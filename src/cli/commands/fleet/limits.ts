import type { Command } from "commander";
import { BadFlagError } from "../../../config/errors.ts";
import { parseCount, parseDollars, parseDurationFlag } from "../../../config/flags.ts";
import { accountCells } from "../../../console/format/account-cells.ts";
import { changeLimits, type Limits, listAccounts } from "../../../fleet/queue/accounts.ts";
import { recordAudit } from "../../../fleet/store/audit.ts";
import type { FleetAccount } from "../../../inspect/fleet-board.ts";
import { accountJson } from "../../../inspect/json/fleet-json.ts";
import { examples, FLEET_URL, JSON_LINES } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { cliErrors } from "../../words/errors.ts";
import { type FleetOptions, withFleet } from "./in-fleet.ts";
import { printList } from "./print-list.ts";

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
    .action(async (options: FleetOptions) => {
      const accounts = await withFleet(options, shell, ({ database }) => listAccounts(database));
      printAccounts(accounts, options, shell);
    });
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
    .action((account: string, options: FleetOptions & LimitFlags) =>
      setLimits(account, options, shell),
    );
}

interface LimitFlags {
  readonly runs?: string;
  readonly rate?: string;
  readonly slots?: string;
  readonly perDay?: string;
}

async function setLimits(
  account: string,
  options: FleetOptions & LimitFlags,
  shell: Shell,
): Promise<void> {
  const change = changeOf(options);
  if (Object.keys(change).length === 0) {
    throw cliErrors["cli/bad-call"](
      `No limit of ${account} was given.`,
      "Use one of --runs N, --rate N/DURATION, --slots N, --per-day USD. The value none removes a limit.",
    );
  }
  const actor = shell.actor();
  const changed = await withFleet(options, shell, async ({ database }) => {
    const detail = `${account} ${JSON.stringify(change)}`;
    await recordAudit(database, { action: "limits", run: null, actor, detail });
    return changeLimits(database, account, change);
  });
  printAccounts([changed], options, shell);
}

function changeOf({ runs, rate, slots, perDay }: LimitFlags): Partial<Limits> {
  return {
    ...(runs !== undefined && { runs: orNone(runs, count, "--runs") }),
    ...(rate !== undefined && { rate: orNone(rate, rateOf, "--rate") }),
    ...(slots !== undefined && { slots: orNone(slots, count, "--slots") }),
    ...(perDay !== undefined && { perDayMicroUsd: orNone(perDay, parseDollars, "--per-day") }),
  };
}

/** `none` removes a limit. */
function orNone<T>(text: string, parse: (flag: string, text: string) => T, flag: string): T | null {
  return text === "none" ? null : parse(flag, text);
}

function count(flag: string, text: string): number {
  const number = parseCount(flag, text);
  if (number === 0) throw new BadFlagError(flag, text, "a number, 1 or more, or none");
  return number;
}

function rateOf(flag: string, text: string): Limits["rate"] {
  const [, runs, span = ""] = /^([1-9]\d{0,8})\/([^/]+)$/.exec(text) ?? [];
  const ms = runs === undefined ? 0 : parseDurationFlag(flag, /^\d/.test(span) ? span : `1${span}`);
  if (ms === 0) throw new BadFlagError(flag, text, "runs per duration, such as 10/1h, or none");
  return { runs: Number(runs), ms };
}

function printAccounts(
  accounts: readonly FleetAccount[],
  options: FleetOptions,
  shell: Shell,
): void {
  const format = {
    headings: ["account", "machines", "runs", "rate", "slots", "today", ""],
    cells: (account: FleetAccount) => {
      const { name, machines, waiting } = account;
      const { runs, rate, slots, today, blocked } = accountCells(accountJson(account), shell.now());
      const reasons = [waiting === 0 ? "" : `${String(waiting)} waiting`, blocked];
      const why = reasons.filter(Boolean).join("; ");
      return [name, machines.join(" ") || "none", runs, rate, slots, today, why];
    },
    json: accountJson,
    empty:
      'No worker has an account yet. Accounts are configured in accounts.toml (docs/fleet.md, "Accounts").',
  };
  printList(accounts, format, options, shell);
}
