import type { CodingAgent, Login } from "../clients/common/coding-agent.ts";
import type { Asker } from "../clients/common/probe.ts";
import { changedDefaults } from "../config/merge.ts";
import { runSettings } from "../config/switches.ts";
import { type Check, failedBy, failure, ok, warning } from "../inspect/check.ts";
import { listed } from "../language/workflow/quote.ts";
import { AGENTS, findAgent } from "../wire/agents/agents.ts";
import type { Caller } from "../wire/caller.ts";
import { askerOf, namedClient } from "../wire/client.ts";
import { isContainer, machineFacts } from "../wire/container.ts";
import type { Configuration } from "./configuration.ts";
import { checkEnforced, checkPermissions, checkUser } from "./permissions.ts";
import { type UsedAgent, usedAgents } from "./used-agents.ts";

export interface AgentsPlace
  extends Pick<Configuration, "settings" | "sourceOf" | "granted" | "clientHidden"> {
  readonly trustProject: boolean;
  /** The configuration sets something that is not trusted. */
  readonly isUntrusted: boolean;
  /** Called with settings of the project before they are used. */
  readonly announce: (message: string) => void;
}

/** Checks the default agent, and those that workflows in this folder name. Spends nothing. */
export async function agentChecks(place: AgentsPlace, caller: Caller): Promise<readonly Check[]> {
  const used = await usedAgents(runSettings(place.settings), caller);
  const checks: Check[] = [];
  for (const [index, one] of used.entries()) {
    const agent = findAgent(one.name);
    if (agent === null) checks.push(unknownAgent(one));
    else checks.push(...(await checksOf(agent, one, index > 0, place, caller)));
  }
  return checks;
}

async function checksOf(
  agent: CodingAgent,
  { spare, workflow }: UsedAgent,
  isOther: boolean,
  place: AgentsPlace,
  caller: Caller,
): Promise<readonly Check[]> {
  const { settings, sourceOf, clientHidden } = place;
  const client = await checkClient(agent, place, await askerOf(agent, caller, settings));
  const standing = {
    ...{ agent, settings, sourceOf },
    root: process.getuid?.() === 0,
    sandbox: caller.env["IS_SANDBOX"] === "1",
    contained: isContainer(await machineFacts(caller.env)),
  };
  const checks = [
    ...(clientHidden ? client.map(perhapsAnother) : client),
    checkUser(standing),
    checkPermissions(standing),
    ...checkEnforced(standing),
  ];
  if (!isOther) return checks;
  const own = checks.map((check) => ofAgent(check, agent.name, workflow));
  return spare ? own.map(asWarning) : own;
}

async function checkClient(
  agent: CodingAgent,
  { settings, sourceOf, granted, trustProject, isUntrusted, announce }: AgentsPlace,
  asker: Asker,
): Promise<readonly Check[]> {
  const client = namedClient(agent, settings);
  const own = changedDefaults({ clients: client === null ? {} : { [agent.name]: client } });
  const [named] = own.filter(({ text }) => granted?.statements.includes(text) === true);
  if (named !== undefined) {
    const source = sourceOf("clients", agent.name);
    if (!trustProject && isUntrusted) return [untrustedClient(agent.name, named.text, source)];
    announce(`${named.text} comes from ${source}.`);
  }
  return clientChecks(agent, client, asker);
}

/** The default agent has the plain names. */
function ofAgent(check: Check, agent: string, workflow: string | null): Check {
  const name = check.name === agent ? agent : `${agent}-${check.name}`;
  const message =
    check.name === agent && workflow !== null && check.level !== "ok"
      ? `${check.message} ${workflow} uses ${agent}.`
      : check.message;
  return { ...check, name, message };
}

function asWarning(check: Check): Check {
  return check.level === "fail" ? { ...check, level: "warn" } : check;
}

function unknownAgent({ name, workflow, spare }: UsedAgent): Check {
  const where = workflow === null ? "The setting agent" : workflow;
  const message = `${where} names the coding agent ${name}, which this version does not have.`;
  const hint = `Use one of ${listed(AGENTS.map((agent) => agent.name))}.`;
  return spare ? warning("agent", message, hint) : failure("agent", message, hint);
}

/** Checks the client of an agent, its version and its login. Spends nothing. */
async function clientChecks(
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
function perhapsAnother(check: Check): Check {
  if (check.level !== "fail") return check;
  const { name, message } = check;
  return warning(name, message, "Fix the configuration first: it may name another client.");
}

/** The client is set by a configuration that the user has not trusted. */
function untrustedClient(agent: string, setting: string, source: string): Check {
  return failure(
    agent,
    `${setting} (by ${source}) was not started, because the file is not trusted.`,
    "Check it, then run `raymond trust`, or add --trust-project.",
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
