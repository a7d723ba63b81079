import { askLogin, type Login } from "../../backends/claude/auth.ts";
import { NotLoggedInError } from "../../backends/claude/errors.ts";
import { type Client, locateClient } from "../../backends/claude/locate.ts";
import type { Asker } from "../../backends/claude/probe.ts";
import { RaymondError } from "../../core/errors.ts";
import { type Check, failure, ok, warning } from "./check.ts";

type Environment = Readonly<Record<string, string>>;

/** The client: where it is, whether raymond knows its version, whether it is logged in. Spends nothing. */
export async function clientChecks(wanted: string | null, asker: Asker): Promise<readonly Check[]> {
  try {
    const client = await locateClient(wanted, asker);
    return [versionCheck(client), loginCheck(await askLogin(client.path, asker), asker.env)];
  } catch (error) {
    if (!(error instanceof RaymondError)) throw error;
    return [failure("claude", error.message, error.hint ?? "Install it.")];
  }
}

/** The same of a client that may not be the one that is meant: nothing of it is a failure. */
export function perhapsAnother(check: Check): Check {
  if (check.level !== "fail") return check;
  const { name, message } = check;
  return warning(name, message, "But the configuration may name another client: mend it first.");
}

/** A client that the project names, in a file that came with its git repository. */
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
    ? ok("claude", `${found}, which raymond was tried with`)
    : warning(
        "claude",
        `${found}. ${odd}`,
        "It will probably do; look at the costs of a first run.",
      );
}

/** What the client says of its login; `env` tells whether another provider is meant. */
export function loginCheck(login: Login, env: Environment): Check {
  switch (login.state) {
    case "in":
      return ok("login", `logged in (${login.method})`);
    case "out": {
      const { message, hint } = new NotLoggedInError();
      return failure("login", message, hint ?? "");
    }
    case "unknown": {
      const provider = PROVIDERS.find((name) => (env[name] ?? "") !== "");
      return provider === undefined
        ? warning(
            "login",
            "Whether claude is logged in could not be found out.",
            "Run `claude` once by hand.",
          )
        : ok("login", `not judged: ${provider} names another provider`);
    }
  }
}

const PROVIDERS = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];
