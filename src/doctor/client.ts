import type { CodingAgent, Login } from "../clients/common/coding-agent.ts";
import type { Asker } from "../clients/common/probe.ts";
import { type Check, failedBy, failure, ok, warning } from "../inspect/check.ts";

/** Checks the client of an agent, its version and its login. Spends nothing. */
export async function clientChecks(
  agent: CodingAgent,
  wanted: string | null,
  asker: Asker,
): Promise<readonly Check[]> {
  const { name, installation } = agent;
  try {
    const path = await installation.find(wanted, asker.env, asker.cwd);
    const { version, warning: odd } = await installation.version(path, asker);
    const found = `${path}, version ${version ?? "unknown"}`;
    return [
      odd === null
        ? ok(name, `${found}, tested with raymond`)
        : warning(name, `${found}. ${odd}`, "It probably works. Check the costs of a first run."),
      loginCheck(agent, await installation.login(path, asker)),
      ...(await installation.findings(path, asker)),
    ];
  } catch (error) {
    return [failedBy(name, "Install it.")(error)];
  }
}

/** The configuration may name another client, so no finding is a failure. */
export function perhapsAnother(check: Check): Check {
  if (check.level !== "fail") return check;
  const { name, message } = check;
  return warning(name, message, "Fix the configuration first: it may name another client.");
}

/** The client is configured by a file in the project's git repository. */
export function untrustedClient(agent: string, setting: string, source: string): Check {
  return failure(
    agent,
    `${setting} (by ${source}) was not started: the file is in the git repository, and is not trusted yet.`,
    "Check it, then add --trust-project.",
  );
}

export function loginCheck(
  { name, errors }: Pick<CodingAgent, "name" | "errors">,
  login: Login,
): Check {
  switch (login.state) {
    case "in":
      return ok("login", `logged in (${login.method})`);
    case "out": {
      const { message, hint } = errors.notLoggedIn();
      return failure("login", message, hint ?? "");
    }
    case "unknown": {
      if (login.reason !== undefined) return ok("login", `not checked: ${login.reason}`);
      const message = `Cannot determine whether ${name} is logged in.`;
      return warning("login", message, `Run \`${name}\` once to check.`);
    }
  }
}
