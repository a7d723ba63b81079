import type { CodingAgent } from "../clients/common/coding-agent.ts";
import type { Asker } from "../clients/common/probe.ts";
import { RaymondError } from "../language/basics/errors.ts";
import type { EnvironmentSettings } from "../machine/decide/step-environment.ts";
import { type Failure, failure } from "../machine/model/failure.ts";
import type { RunSettings } from "../machine/model/run-state.ts";
import { startHelpers } from "../process/children/helper-processes.ts";
import { agentNamed } from "./agents/agents.ts";
import type { Caller } from "./caller.ts";
import { isContainer, machineFacts, uncontained } from "./container.ts";
import { inheritedByPrompts } from "./engine/inherited.ts";
import { type ProjectTrust, requireTrustedFiles } from "./trust/client-project.ts";

/** A coding agent that a run may use. */
export interface UpcomingAgent {
  readonly name: string;
  /** The first state needs it. */
  readonly first: boolean;
  /** It only stands in for another one: without it, the run can work. */
  readonly spare: boolean;
}

/** What is about to run. */
export interface Upcoming {
  readonly settings: RunSettings;
  readonly agents: readonly UpcomingAgent[];
  readonly project: ProjectTrust;
}

/** The result of the checks before the first state. */
export interface Checked {
  /** Absolute paths of the clients, by coding agent. */
  readonly clients: Readonly<Record<string, string>>;
  /** The failure of a client that is not logged in, or null, by coding agent of the first state. Never reject. */
  readonly logins: Readonly<Record<string, Promise<Failure | null>>>;
  readonly warnings: readonly string[];
  /** Settles during the first steps: a warning, or null. Never rejects. */
  readonly later: Promise<string | null>;
  /** Ends checks in progress before the run ends. Never rejects. */
  readonly end: () => Promise<void>;
}

export const NOTHING_NEEDED: Checked = {
  clients: {},
  logins: {},
  warnings: [],
  later: Promise.resolve(null),
  end: () => Promise.resolve(),
};

/**
 * The checks before the first state (docs/claude.md, "Login"), for each coding agent: settings of the project are trusted,
 * the client exists, its version is supported or warned about, and it may skip permissions here. Rejects with a
 * RaymondError. The check of the login continues during the first steps. Spends nothing.
 */
export async function checkClients(upcoming: Upcoming, caller: Caller): Promise<Checked> {
  const { agents, project, settings } = upcoming;
  if (agents.length > 0) await requireTrustedFiles(project, settings, caller);
  const results = await Promise.allSettled(
    upcoming.agents.map((agent) => checkClient(agent, upcoming, caller)),
  );
  const checked = results.flatMap((each, index) => {
    if (each.status === "fulfilled") return each.value;
    const agent = upcoming.agents[index];
    if (agent?.spare !== true || !(each.reason instanceof RaymondError)) return [];
    const warning = `${agent.name} cannot stand in for another agent: ${each.reason.message}`;
    return { ...NOTHING_NEEDED, warnings: [warning] };
  });
  const end = async () => {
    await Promise.all(checked.map((each) => each.end()));
  };
  const failed = results.find(
    (each, index) => each.status === "rejected" && upcoming.agents[index]?.spare !== true,
  );
  if (failed?.status === "rejected") {
    await end();
    throw failed.reason;
  }
  const texts = Promise.all(checked.map(({ later }) => later));
  return {
    clients: Object.assign({}, ...checked.map(({ clients }) => clients)) as Checked["clients"],
    logins: Object.assign({}, ...checked.map(({ logins }) => logins)) as Checked["logins"],
    warnings: checked.flatMap(({ warnings }) => warnings),
    later: texts.then((found) => found.filter((text) => text !== null).join(" ") || null),
    end,
  };
}

async function checkClient(
  { name, first }: UpcomingAgent,
  { settings }: Upcoming,
  caller: Caller,
): Promise<Checked> {
  const agent = agentNamed(name);
  const { installation, errors } = agent;
  const { rootRefusal } = installation;
  if (settings.skipPermissions && isRoot() && caller.env["IS_SANDBOX"] !== "1") {
    if (rootRefusal !== null) throw rootRefusal();
  }
  const asker = await askerOf(agent, caller, settings);
  const path = await installation.find(namedClient(agent, settings), asker.env, caller.cwd);
  const clients = { [name]: path };
  // Each question starts the client once, so both run concurrently.
  const done = new AbortController();
  const login = installation.login(path, asker, done.signal);
  const { warning } = await installation.version(path, asker).catch(async (error: unknown) => {
    done.abort();
    await Promise.allSettled([login]);
    throw error;
  });
  const isUncontained = settings.skipPermissions && !isContainer(await machineFacts(caller.env));
  const warnings = [
    ...(warning === null ? [] : [warning]),
    ...(isUncontained ? [uncontained(name)] : []),
  ];
  const isOut = login.then(
    ({ state }) => state === "out",
    () => false,
  );
  const end = async () => {
    done.abort();
    await isOut;
  };
  if (first) {
    const { message, hint } = errors.notLoggedIn();
    const failed = isOut.then((out) =>
      out ? failure("deterministic", message, hint ?? null) : null,
    );
    return { ...NOTHING_NEEDED, clients, logins: { [name]: failed }, warnings, end };
  }
  const warned = `${name} is not logged in: its first prompt step will fail.`;
  const later = isOut.then((out) => (out ? warned : null));
  return { ...NOTHING_NEEDED, clients, warnings, later, end };
}

/** The client that the user has named for an agent; null: the usual one. */
export function namedClient(
  { name }: Pick<CodingAgent, "name">,
  { clients }: Pick<RunSettings, "clients">,
): string | null {
  return clients[name] ?? null;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/** Runs a client with the environment of its prompts, so that it finds the same login; null: other programs. */
export async function askerOf(
  agent: CodingAgent | null,
  { env, cwd, system }: Caller,
  settings: EnvironmentSettings,
): Promise<Asker> {
  const { processes } = await system();
  return {
    env: inheritedByPrompts(env, agent, settings),
    cwd,
    start: startHelpers(processes.start),
  };
}
