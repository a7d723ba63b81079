import type { CodingAgent } from "../clients/common/coding-agent.ts";
import type { Asker } from "../clients/common/probe.ts";
import { changedDefaults } from "../config/merge.ts";
import { runSettings } from "../config/switches.ts";
import { type Check, failure, warning } from "../inspect/check.ts";
import { listed } from "../language/workflow/quote.ts";
import { AGENTS, findAgent } from "../wire/agents/agents.ts";
import type { Caller } from "../wire/caller.ts";
import { askerOf, namedClient } from "../wire/client.ts";
import { isContainer, machineFacts } from "../wire/container.ts";
import { projectSettings } from "../wire/trust/client-project.ts";
import type { TrustSubject } from "../wire/trust/trusted.ts";
import { clientChecks, perhapsAnother, untrustedClient } from "./client.ts";
import type { Configuration } from "./configuration.ts";
import { checkEnforced, checkPermissions, checkUser } from "./permissions.ts";
import { checkTrust } from "./trust.ts";
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
