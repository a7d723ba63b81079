import { claudeErrors } from "../clients/claude/errors.ts";
import { type Client, locateClient } from "../clients/claude/locate.ts";
import { askLogin, askPrintMode, type Login, type PrintMode } from "../clients/claude/login.ts";
import type { Asker } from "../clients/common/probe.ts";
import { type Check, failure, ok, warning } from "../inspect/check.ts";
import { RaymondError } from "../language/basics/errors.ts";

type Environment = Readonly<Record<string, string>>;

/** Checks the client, its version and its login. Spends nothing. */
export async function clientChecks(wanted: string | null, asker: Asker): Promise<readonly Check[]> {
  try {
    const client = await locateClient(wanted, asker);
    const login = loginCheck(await askLogin(client.path, asker), asker.env);
    const mode = printModeCheck(await askPrintMode(client.path, asker), asker.env);
    return [versionCheck(client), login, ...mode];
  } catch (error) {
    if (!(error instanceof RaymondError)) throw error;
    return [failure("claude", error.message, error.hint ?? "Install it.")];
  }
}

/** The configuration may name another client, so no finding is a failure. */
export function perhapsAnother(check: Check): Check {
  if (check.level !== "fail") return check;
  const { name, message } = check;
  return warning(name, message, "Fix the configuration first: it may name another client.");
}

/** The client is configured by a file in the project's git repository. */
export function untrustedClient(setting: string, source: string): Check {
  return failure(
    "claude",
    `${setting} (by ${source}) was not started: the file is in the git repository, and is not trusted yet.`,
    "Check it, then add --trust-project.",
  );
}

function versionCheck({ path, version, warning: odd }: Client): Check {
  const found = `${path}, version ${version ?? "unknown"}`;
  return odd === null
    ? ok("claude", `${found}, tested with raymond`)
    : warning("claude", `${found}. ${odd}`, "It probably works. Check the costs of a first run.");
}

/** A client whose `-p` is `--bare` ignores CLAUDE.md and the hooks, skills and subagents of the project. */
export function printModeCheck(mode: PrintMode, env: Environment): readonly Check[] {
  if (mode !== "bare") return [];
  const isSet = (env["CLAUDE_CODE_SIMPLE"] ?? "") !== "";
  return [
    warning(
      "bare",
      "claude -p behaves as with --bare: it ignores CLAUDE.md, hooks, skills and subagents, and uses only a key to log in.",
      isSet
        ? "Unset CLAUDE_CODE_SIMPLE."
        : "If the client is a script, remove --bare from it. Otherwise use an earlier version, with --claude PATH.",
    ),
  ];
}

/** The login status that the client reports. `env` can select another provider. */
export function loginCheck(login: Login, env: Environment): Check {
  switch (login.state) {
    case "in":
      return ok("login", `logged in (${login.method})`);
    case "out": {
      const { message, hint } = claudeErrors["claude/not-logged-in"]();
      return failure("login", message, hint ?? "");
    }
    case "unknown": {
      const provider = PROVIDERS.find((name) => (env[name] ?? "") !== "");
      return provider === undefined
        ? warning(
            "login",
            "Cannot determine whether claude is logged in.",
            "Run `claude` once to check.",
          )
        : ok("login", `not checked: ${provider} selects another provider`);
    }
  }
}

const PROVIDERS = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];
