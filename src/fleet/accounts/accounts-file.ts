import { stat } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import * as z from "zod/mini";
import { ConfigError } from "../../config/errors.ts";
import { keyLine } from "../../config/key-lines.ts";
import { parseToml } from "../../config/load.ts";
import { LIMITS, readRegularFile } from "../../files/read-file.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import { isReservedName } from "../../language/protocol/reserved-names.ts";
import type { Platform } from "../../language/workflow/files/platform.ts";
import { AGENTS } from "../../wire/agents/agents.ts";
import { nameProblem } from "../admin/names.ts";
import { fleetErrors } from "../errors.ts";
import type { AccountName } from "../store/rows/placement.ts";

/** Environment variables for the clients of an account. The values are secret: messages never contain them. */
export type Credentials = Readonly<Record<string, string>>;

export interface AccountsFile {
  readonly accounts: Readonly<Record<AccountName, Credentials>>;
  readonly warnings: readonly string[];
}

export function defaultAccountsFile(
  env: Readonly<Record<string, string | undefined>>,
  platform: Platform,
): string {
  const named = platform === "windows" ? env["APPDATA"] : env["XDG_CONFIG_HOME"];
  const home = env[platform === "windows" ? "USERPROFILE" : "HOME"] ?? homedir();
  const folder = named === undefined || named === "" ? path.join(home, ".config") : named;
  return path.join(folder, "raymond", "accounts.toml");
}

/** Null if the file does not exist. Rejects with a {@link ConfigError}. */
export async function readAccounts(file: string, platform: Platform): Promise<AccountsFile | null> {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(
      await readRegularFile(file, LIMITS.small),
    );
  } catch (error) {
    if (errorCode(error) === "ENOENT") return null;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ConfigError({
      place: { file, line: null },
      key: null,
      problem: `the accounts cannot be read: ${reason}`,
      hint: "Make it a text file in UTF-8 that this user can read.",
    });
  }
  const accounts = parseAccounts(file, text);
  for (const [name, credentials] of Object.entries(accounts)) {
    for (const { agent, home } of HOMES) {
      const folder = credentials[home];
      if (folder === undefined || (await isFolder(folder))) continue;
      const key = home === CONFIG_DIR ? "config_dir" : home;
      const table = home === CONFIG_DIR ? `accounts.${name}` : `accounts.${name}.env`;
      throw invalid(file, keyLine(text, table, key), key, {
        problem: `names ${folder}, which is not a folder`,
        hint: `Log the client in there once: ${home}=${folder} ${agent}`,
      });
    }
  }
  const open = platform === "unix" ? ((await stat(file)).mode & 0o077) !== 0 : false;
  const warning = `${file}: other users of this machine can read it, or write to it. There are secrets in it: chmod 600 ${file}`;
  return { accounts, warnings: open ? [warning] : [] };
}

/** `names`: null for all. Throws `fleet/account-not-here`. */
export function pickAccounts(
  accounts: AccountsFile["accounts"],
  names: readonly AccountName[] | null,
  file: string,
): AccountsFile["accounts"] {
  if (names === null) return accounts;
  return Object.fromEntries(
    names.map((name) => {
      const found = accounts[name];
      if (found === undefined)
        throw fleetErrors["fleet/account-not-here"](name, Object.keys(accounts), file);
      return [name, found];
    }),
  );
}

const ACCOUNT = z.strictObject({
  config_dir: z.optional(z.string().check(z.minLength(1))),
  env: z.optional(z.record(z.string(), z.string())),
});
const FILE = z.strictObject({ accounts: z._default(z.record(z.string(), ACCOUNT), {}) });

/** Throws a {@link ConfigError}. */
export function parseAccounts(
  file: string,
  text: string,
): Readonly<Record<AccountName, Credentials>> {
  const read = FILE.safeParse(parsed(file, text));
  if (!read.success) throw schemaProblem(file, text, read.error);
  const { accounts } = read.data;
  return Object.fromEntries(
    Object.entries(accounts).map(([name, { config_dir: folder, env = {} }]) => {
      const table = `accounts.${name}`;
      const problem = nameProblem(name);
      const hint = "Use another name.";
      if (problem !== null)
        throw invalid(file, keyLine(text, null, table), table, { problem, hint });
      for (const key of Object.keys(env)) {
        const wrong = variableProblem(key);
        if (wrong !== null) throw invalid(file, keyLine(text, `${table}.env`, key), key, wrong);
      }
      const named = folder === undefined ? env : { ...env, [CONFIG_DIR]: folder };
      const homes = HOMES.flatMap(({ home }) => {
        const own = named[home];
        return own === undefined ? [] : [[home, configFolder(file, own)] as const];
      });
      return [name, { ...named, ...Object.fromEntries(homes) }];
    }),
  );
}

function parsed(file: string, text: string): unknown {
  const read = parseToml(file, text);
  if (!(read instanceof ConfigError)) return read;
  // The message of the parser shows the line, which may contain a secret.
  throw new ConfigError({
    place: read.place,
    key: read.key,
    problem: read.key === null ? "this is not TOML" : "is defined twice",
    hint: HINT,
  });
}

const HINT =
  'An account is [accounts.NAME] with config_dir = "…", and [accounts.NAME.env] with a line NAME = "value" for each variable (docs/fleet.md, "Accounts").';

/** The first problem of the schema, without the values. */
function schemaProblem(file: string, text: string, { issues }: z.core.$ZodError): ConfigError {
  const [issue] = issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.slice(0, 1) : [];
  const words = [...(issue?.path ?? []), ...unknown].map(String);
  const key = words.at(-1) ?? "accounts";
  const table = words.length < 2 ? null : words.slice(0, -1).join(".");
  const line = keyLine(text, table, key) ?? keyLine(text, null, words.slice(0, 2).join("."));
  const expected =
    words.length < 3 ? "a table" : key === "env" ? "a table of variables" : "a text, and not empty";
  const problem =
    unknown.length > 0
      ? `is not a known key${table === null ? "" : ` of [${table}]`}`
      : `must be ${expected}`;
  return invalid(file, line, key, { problem, hint: HINT });
}

/** Why an account may not set a variable. */
function variableProblem(name: string): { readonly problem: string; readonly hint: string } | null {
  const upper = name.toUpperCase();
  if (upper === CONFIG_DIR) {
    return { problem: "is not set as a variable", hint: 'Write config_dir = "…" in the account.' };
  }
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    return { problem: "cannot name a variable", hint: "Use letters, digits and _." };
  }
  if (!isReservedName(name) || CLIENT_VARIABLES.some((own) => own.test(upper))) return null;
  return {
    problem: "cannot be set for an account: shells, loaders or raymond use it",
    hint: "Set it for all runs of a worker, in the environment of the worker.",
  };
}

/** The variable of the key `config_dir`. */
const CONFIG_DIR = "CLAUDE_CONFIG_DIR";

/** Variables that name the own folders of clients. */
const HOMES = AGENTS.flatMap(({ name: agent, account: { home } }) =>
  home === null ? [] : [{ agent, home }],
);

/** Reserved names that select the API and the account of a client. */
const CLIENT_VARIABLES = [/_PROXY$/, ...AGENTS.flatMap(({ account }) => account.reserved)];

/** Relative to the folder of the file. */
function configFolder(file: string, folder: string): string {
  const own =
    folder === "~" || folder.startsWith("~/") ? path.join(homedir(), folder.slice(1)) : folder;
  return path.resolve(path.dirname(file), own);
}

function invalid(
  file: string,
  line: number | null,
  key: string,
  what: { readonly problem: string; readonly hint: string },
): ConfigError {
  return new ConfigError({ place: { file, line }, key, ...what });
}

async function isFolder(folder: string): Promise<boolean> {
  return (await stat(folder).catch(() => null))?.isDirectory() === true;
}
