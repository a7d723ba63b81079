import type { CodingAgent, Login } from "../clients/common/coding-agent.ts";
import type { Asker } from "../clients/common/probe.ts";
import { changedDefaults } from "../config/merge.ts";
import { runSettings } from "../config/switches.ts";
import { type Check, failedBy, failure, ok, warning } from "../inspect/check.ts";
import { listed } from "../language/workflow/quote.ts";
import { printable } from "../log/printable.ts";
import { AGENTS, findAgent } from "../wire/agents/agents.ts";
import type { Caller } from "../wire/caller.ts";
import { askerOf, namedClient } from "../wire/client.ts";
import { isContainer, machineFacts } from "../wire/container.ts";
import { type ProjectSettings, projectSettings } from "../wire/trust/client-project.ts";
import type { TrustSubject } from "../wire/trust/trusted.ts";
import type { Configuration } from "./configuration.ts";
import { checkEnforced, checkPermissions, checkUser } from "./permissions.ts";
import { type UsedAgent, usedAgents } from "./used-agents.ts";

export interface AgentsPlace
  extends Pick<Configuration, "settings" | "sourceOf" | "granted" | "clientHidden"> {
  readonly trustProject: boolean;
  /** The configuration that is not trusted; null: there is none, or it is trusted. */
  readonly config: TrustSubject | null;
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
  const { settings, sourceOf, clientHidden, config, trustProject: given } = place;
  const client = await checkClient(agent, place, await askerOf(agent, caller, settings));
  const standing = {
    ...{ agent, settings, sourceOf },
    root: process.getuid?.() === 0,
    sandbox: caller.env["IS_SANDBOX"] === "1",
    contained: isContainer(await machineFacts(caller.env)),
  };
  const project = await projectSettings(agent, caller.cwd, runSettings(settings), caller);
  const checks = [
    ...(clientHidden ? client.map(perhapsAnother) : client),
    checkUser(standing),
    checkPermissions(standing),
    ...checkEnforced(standing),
    // The configuration is checked once.
    ...checkTrust({
      ...{ given, agent: agent.name, client: project },
      config: isOther ? null : config,
    }),
  ];
  if (!isOther) return checks;
  const own = checks.map((check) => ofAgent(check, agent.name, workflow));
  return spare ? own.map(asWarning) : own;
}

async function checkClient(
  agent: CodingAgent,
  { settings, sourceOf, granted, trustProject, config, announce }: AgentsPlace,
  asker: Asker,
): Promise<readonly Check[]> {
  const client = namedClient(agent, settings);
  const own = changedDefaults({ clients: client === null ? {} : { [agent.name]: client } });
  const [named] = own.filter(({ text }) => granted?.statements.includes(text) === true);
  if (named !== undefined) {
    const source = sourceOf("clients", agent.name);
    if (!trustProject && config !== null) return [untrustedClient(agent.name, named.text, source)];
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

/** The client is configured by a file in the project's git repository. */
function untrustedClient(agent: string, setting: string, source: string): Check {
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

/** What the project brings that needs trust (docs/trust.md, "Trusting a project"). */
interface BroughtSettings {
  /** The file of raymond that is not trusted; null: there is none, or it is trusted. */
  readonly config: TrustSubject | null;
  /** The name of a coding agent. */
  readonly agent: string;
  readonly client: ProjectSettings;
  /** `--trust-project`. */
  readonly given: boolean;
}

const NAME = "trust";

/** Whether settings of the project are trusted, and what a run without a terminal would do. */
function checkTrust({ config, agent, client, given }: BroughtSettings): readonly Check[] {
  const { subject } = client;
  const checks = [
    ...(config === null
      ? []
      : [
          pending(
            config,
            given,
            "--trust-project",
            `${config.file} is in the git repository and sets`,
          ),
        ]),
    ...(subject === null || client.state !== "untrusted" ? [] : [pendingClient(subject, given)]),
  ];
  if (checks.length > 0) return checks;
  switch (client.state) {
    case "none":
      return [ok(NAME, `the project brings no settings for ${agent} that need trust`)];
    case "ignored":
      return [
        ok(NAME, "prompts run without the settings of the project (ignore_project_settings)"),
      ];
    case "trusted":
    case "untrusted":
      return [ok(NAME, `the settings of ${printable(subject?.file ?? "")} are trusted`)];
  }
}

function pendingClient(subject: TrustSubject, given: boolean): Check {
  const flags = "--trust-project or --ignore-project-settings";
  return pending(subject, given, flags, `${subject.file} has settings for ${subject.by}:`);
}

function pending(
  { statements }: TrustSubject,
  given: boolean,
  flags: string,
  brought: string,
): Check {
  const more = statements.length > SHOWN ? `; and ${String(statements.length - SHOWN)} more` : "";
  const listed = `${statements.slice(0, SHOWN).join("; ")}${more}`;
  if (given) return ok(NAME, printable(`trusted by --trust-project: ${brought} ${listed}`));
  return warning(
    NAME,
    printable(`not trusted: ${brought} ${listed}.`),
    `A run asks at a terminal, and is refused without one (exit code 2). Check the settings, then use ${flags}.`,
  );
}

const SHOWN = 5;
