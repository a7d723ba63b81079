import { chmod, mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import {
  defaultAccountsFile,
  parseAccounts,
  pickAccounts,
  readAccounts,
} from "../../../src/fleet/accounts/accounts-file.ts";
import { promptingAs } from "../../../src/fleet/accounts/credentials.ts";
import { tempProject } from "../../support/project.ts";

const FILE = "/home/she/accounts.toml";
const parse = (text: string) => parseAccounts(FILE, text);

describe("an accounts file", () => {
  it("provides the config folder and variables of each account", () => {
    const text = `
[accounts.team]
config_dir = "team"
[accounts.team.env]
HTTPS_PROXY = "http://proxy"
[accounts.other.env]
ANTHROPIC_API_KEY = "sk-1"
`;
    expect(parse(text)).toEqual({
      team: { CLAUDE_CONFIG_DIR: "/home/she/team", HTTPS_PROXY: "http://proxy" },
      other: { ANTHROPIC_API_KEY: "sk-1" },
    });
    expect(parse("")).toEqual({});
  });

  it.each([
    ["[account.team]", 1, "account is not a known key"],
    ["[accounts.team]\nconfigdir = 'secret'", 2, "configdir is not a known key of [accounts.team]"],
    ["[accounts.team]\nconfig_dir = 17", 2, "config_dir must be a text"],
    ["[accounts.team]\nenv = 'secret'", 2, "env must be a table of variables"],
    ["[accounts]\nteam = 'secret'", 2, "team must be a table"],
    ["accounts = 'secret'", 1, "accounts must be a table"],
    ["[accounts.team.env]\nA = 'secret'\nB = 17", 3, "B must be a text"],
    ["[accounts.team.env]\nPATH = 'secret'", 2, "PATH cannot be set for an account"],
    ["[accounts.team.env]\n\nBASH_ENV = 'secret'", 3, "BASH_ENV cannot be set for an account"],
    [
      "[accounts.team.env]\nRAYMOND_FLEET = 'secret'",
      2,
      "RAYMOND_FLEET cannot be set for an account",
    ],
    ["[accounts.team.env]\nCLAUDE_CONFIG_DIR = 'secret'", 2, "CLAUDE_CONFIG_DIR is not set as"],
    ["[accounts.team.env]\n'A B' = 'secret'", 2, "A B cannot name a variable"],
    ["[accounts.'a b'.env]\nA = 'secret'", null, "is not made of letters"],
    ["[accounts.team.env]\nA = secret", 2, "this is not TOML"],
    ["[accounts.team.env]\nA = 'secret'\nA = 'secret'", 3, "A is defined twice"],
  ])("reports where %j is wrong without showing a value", (text, line, problem) => {
    const place = line === null ? FILE : `${FILE}:${String(line)}`;
    expect(() => parse(text)).toThrow(
      expect.objectContaining({
        code: "config/invalid",
        message: expect.stringMatching(
          new RegExp(`^${place}.*${problem.replaceAll(/[[\]]/g, "\\$&")}`),
        ) as string,
      }) as Error,
    );
    try {
      parse(text);
    } catch (error) {
      expect(JSON.stringify([String(error), (error as { hint?: string }).hint])).not.toContain(
        "secret",
      );
      expect((error as Error).cause).toBeUndefined();
    }
  });

  it("warns if other users can read it, and is refused if a config folder is missing", async () => {
    const { dir } = await tempProject({ "accounts.toml": '[accounts.team]\nconfig_dir = "mine"' });
    const file = path.join(dir, "accounts.toml");

    await expect(readAccounts(file, "unix")).rejects.toMatchObject({
      message: expect.stringContaining(
        `${file}:2: config_dir names ${path.join(dir, "mine")}`,
      ) as string,
    });
    await mkdir(path.join(dir, "mine"));
    await chmod(file, 0o644);
    expect((await readAccounts(file, "unix"))?.warnings).toEqual([
      expect.stringContaining(`chmod 600 ${file}`),
    ]);
    await chmod(file, 0o600);
    expect((await readAccounts(file, "unix"))?.warnings).toEqual([]);
    await writeFile(file, Buffer.from([0xff]));
    await expect(readAccounts(file, "unix")).rejects.toMatchObject({ code: "config/invalid" });
    expect(await readAccounts(path.join(dir, "none.toml"), "unix")).toBeNull();
  });

  it("is in the configuration folder of its user", () => {
    expect(defaultAccountsFile({ HOME: "/home/she" }, "unix")).toBe(
      "/home/she/.config/raymond/accounts.toml",
    );
    expect(defaultAccountsFile({ HOME: "/home/she", XDG_CONFIG_HOME: "/x" }, "unix")).toBe(
      "/x/raymond/accounts.toml",
    );
  });

  it("selects accounts by name, and suggests a similar name", () => {
    const accounts = { team: {}, other: {} };

    expect(pickAccounts(accounts, ["team"], FILE)).toEqual({ team: {} });
    expect(pickAccounts(accounts, null, FILE)).toBe(accounts);
    expect(() => pickAccounts(accounts, ["taem"], FILE)).toThrow(
      expect.objectContaining({ hint: "Did you mean team?" }) as Error,
    );
  });
});

describe("prompts of an account", () => {
  it("are paid by the account, never by credentials of the worker", () => {
    const { env } = promptingAs({ CLAUDE_CONFIG_DIR: "/team" });

    expect(env["CLAUDE_CONFIG_DIR"]).toBe("/team");
    expect("ANTHROPIC_API_KEY" in env && env["ANTHROPIC_API_KEY"] === undefined).toBe(true);
  });
});
