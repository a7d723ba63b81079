import { BadFlagError } from "../../config/errors.ts";
import { parseDollars, parseDurationFlag, parseNumberOf } from "../../config/flags.ts";
import type { Limits, SeenAccount } from "../../fleet/limits.ts";
import { accountJson } from "../../runs/json/fleet-json.ts";
import { FlagConflictError } from "../errors.ts";
import { openFleetOf } from "../in-fleet.ts";
import type { Shell } from "../shell.ts";
import { formatTable } from "../table.ts";

interface LimitsOptions {
  readonly set?: string;
  readonly account?: string;
  readonly runs?: string;
  readonly rate?: string;
  readonly slots?: string;
  readonly perDay?: string;
  readonly url?: string;
  readonly json?: true;
}

/** What may follow `raymond limits`. */
export const LIMITS_WORDS = ["set"] as const;

/** `raymond limits`: what accounts may do, and do. `raymond limits set ACCOUNT`: changes that. */
export async function limitsCommand(options: LimitsOptions, shell: Shell): Promise<void> {
  const { set: word, account, json } = options;
  const change = changeOf(options);
  const isEmpty = Object.keys(change).length === 0;
  if (word !== undefined && word !== "set")
    throw new FlagConflictError(`raymond limits does not know "${word}".`, HOW);
  if (word === undefined && !isEmpty)
    throw new FlagConflictError("raymond limits shows limits, and sets none without set.", HOW);
  if (word === "set" && account === undefined)
    throw new FlagConflictError("raymond limits set needs the name of an account.", HOW);
  if (word === "set" && isEmpty)
    throw new FlagConflictError(`There is no limit to set for ${String(account)}.`, HOW);
  const { changeLimits, limits } = await import("../../fleet/limits.ts");
  const fleet = await openFleetOf(shell, options);
  try {
    const accounts =
      account === undefined ? await limits(fleet) : [await changeLimits(account, change, fleet)];
    if (json === true) for (const one of accounts) shell.out.line(JSON.stringify(accountJson(one)));
    else await print(accounts, shell);
  } finally {
    await fleet.close();
  }
}

const HOW =
  "raymond limits set ACCOUNT with one of --runs N, --rate N/DURATION, --slots N, --per-day USD; none in place of a number lifts it.";

/** The limits that are given; `none` lifts one. */
function changeOf({ runs, rate, slots, perDay }: LimitsOptions): Partial<Limits> {
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
  const number = parseNumberOf(flag, text);
  if (number === 0) throw new BadFlagError(flag, text, "how many at once, 1 or more; or none");
  return number;
}

function rateOf(text: string): NonNullable<Limits["rate"]> {
  const [runs = "", span = "", ...more] = text.split("/");
  const expects = "runs and a span, such as 10/1h; or none";
  if (!/^[1-9]\d{0,8}$/.test(runs) || span === "" || more.length > 0)
    throw new BadFlagError("--rate", text, expects);
  const ms = parseDurationFlag("--rate", /^\d/.test(span) ? span : `1${span}`);
  if (ms === 0) throw new BadFlagError("--rate", text, expects);
  return { runs: Number(runs), ms };
}

async function print(accounts: readonly SeenAccount[], shell: Shell): Promise<void> {
  if (accounts.length === 0) {
    shell.err.line(
      'No worker has had an account yet. They stand in its accounts.toml (docs/fleet.md, "Accounts").',
    );
    return;
  }
  const { accountCells } = await import("../../observers/account-cells.ts");
  const rows = accounts.map((account) => {
    const { machines, waiting } = account;
    const { runs, rate, slots, today, kept } = accountCells(accountJson(account), shell.now());
    const why = [waiting === 0 ? "" : `${String(waiting)} wait`, kept].filter(Boolean).join("; ");
    return [account.name, machines.join(" ") || "none", runs, rate, slots, today, why];
  });
  const table = [["account", "machines", "runs", "rate", "slots", "today", ""], ...rows];
  for (const line of formatTable(table, table[0]?.map(() => "left" as const) ?? []))
    shell.out.line(line.trimEnd());
}
