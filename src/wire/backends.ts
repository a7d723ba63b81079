import type { CodingAgent } from "../clients/common/coding-agent.ts";
import { copyConversation } from "../clients/common/conversations/carry-conversation.ts";
import { ConversationCopies } from "../clients/common/conversations/conversation-copies.ts";
import { withoutEnding } from "../clients/common/conversations/conversation-files.ts";
import type { IncrementalCopies } from "../clients/common/conversations/incremental-copy.ts";
import { withConversationCopies } from "../clients/common/conversations/with-conversation-copies.ts";
import { withLogin } from "../clients/common/with-login.ts";
import { simulatedBackend } from "../clients/simulation/backend.ts";
import type { Simulation } from "../clients/simulation/scenario.ts";
import { type Environment, environmentOf } from "../engine/executors/environment.ts";
import type { Artifacts } from "../engine/ports/artifacts.ts";
import {
  type Backend,
  type CarriedConversation,
  isSimulated,
  SIMULATION,
} from "../engine/ports/backend.ts";
import type { Clock } from "../engine/ports/clock.ts";
import type { Observer } from "../engine/ports/observer.ts";
import type { StartProcess } from "../engine/ports/process.ts";
import type { SessionId } from "../machine/model/agent.ts";
import type { RunSettings, RunState } from "../machine/model/run-state.ts";
import type { Secrets } from "../process/secrets/secrets.ts";
import { AGENTS, agentNamed, findAgent } from "./agents/agents.ts";
import { clientPlace } from "./agents/client-place.ts";
import type { Caller } from "./caller.ts";
import {
  type Checked,
  checkClients,
  NOTHING_NEEDED,
  namedClient,
  type Upcoming,
} from "./client.ts";
import { inherited } from "./engine/inherited.ts";
import { wireErrors } from "./errors.ts";
import { systemPlatform } from "./system/system.ts";
import { projectAccess } from "./trust/client-project.ts";

export interface BackendParts {
  readonly settings: RunSettings;
  /** Paths of the clients that were checked, by coding agent. */
  readonly clients: Readonly<Record<string, string>>;
  readonly logins: Checked["logins"];
  /** The launch folder; of a worktree, that of its checkout. */
  readonly origin: string;
  readonly simulation: Simulation | null;
  readonly artifacts: Artifacts;
  readonly files: IncrementalCopies;
  readonly env: Environment;
  /** Names of variables that every prompt receives: those of the account. */
  readonly always: readonly string[];
  readonly clock: Clock;
  readonly start: StartProcess;
  readonly secrets: Secrets;
  readonly warn: (message: string) => void;
  /** How to keep conversations; null: no advice. */
  readonly lostAdvice: string | null;
}

export interface OpenBackend {
  readonly backend: Backend;
  readonly observers: readonly Observer[];
}

/** `cwd`: the folder of the next call. `owner`: its coding agent. Null: raymond cannot read its conversations. */
export type LocateConversation = (
  session: SessionId,
  cwd: string,
  owner: string,
) => Promise<{
  readonly file: string;
  /** A folder that the conversation refers to. */
  readonly beside: string;
} | null>;

export interface CarryParts extends Pick<BackendParts, "files" | "env" | "secrets"> {
  readonly from: Artifacts;
  readonly to: Artifacts;
}

/** The names of the coding agents that a state or setting can name. */
export function agentNames(): readonly string[] {
  return AGENTS.map(({ name }) => name);
}

/** Throws `config/unknown-agent` for a name in the settings `agent` and `client`. */
export function requireAgents({ agents, clients = {} }: NamedAgents): void {
  for (const name of [...(agents ?? []), ...Object.keys(clients)]) requireAgent(name);
}

type NamedAgents = Partial<Pick<RunSettings, "agents" | "clients">>;

/** Throws `config/unknown-agent`. */
export function requireAgent(name: string): void {
  if (findAgent(name) === null) throw wireErrors["config/unknown-agent"](name, agentNames());
}

/** Throws `run/unknown-backend`. */
export function requireBackend({ id, backend }: Pick<RunState, "id" | "backend">): void {
  if (isSimulated(backend) || findAgent(backend) !== null) return;
  const known = [...AGENTS.map(({ name }) => name), SIMULATION];
  throw wireErrors["run/unknown-backend"](id, backend, known);
}

/**
 * Checks before the first state whether prompts can be answered. Rejects with a RaymondError.
 * Spends nothing.
 */
export function checkBackend(name: string, upcoming: Upcoming, caller: Caller): Promise<Checked> {
  return isSimulated(name) ? Promise.resolve(NOTHING_NEEDED) : checkClients(upcoming, caller);
}

export function openBackend(name: string, parts: BackendParts): OpenBackend {
  const { simulation, clock } = parts;
  if (!isSimulated(name)) return openAgent(agentNamed(name), parts);
  if (simulation === null) throw new Error("a simulated run came without its simulation");
  return { backend: simulatedBackend(simulation, clock.sleep, clock.elapsed), observers: [] };
}

function openAgent(agent: CodingAgent, parts: BackendParts): OpenBackend {
  const { settings, clients, artifacts, files, env, always, clock, start, secrets, warn } = parts;
  const place = clientPlace(env);
  const ofAgent = [...agent.account.passed(env), ...always];
  const opened = agent.open({
    command: clients[agent.name] ?? namedClient(agent, settings) ?? agent.name,
    env: (call) => environmentOf(call, env, systemPlatform(), ofAgent),
    projectAccess: projectAccess(agent.name, settings, parts.origin, parts),
    home: place.home,
    timers: clock,
    ...{ settings, start, secrets },
  });
  const login = parts.logins[agent.name];
  const backend = login === undefined ? opened : withLogin(opened, login);
  if (agent.conversations === null) return { backend, observers: [] };
  const copies = new ConversationCopies({
    ...{ store: agent.conversations(place), folder: artifacts.transcripts, files, secrets, warn },
  });
  const kept = withConversationCopies(backend, copies, parts.lostAdvice);
  return { backend: kept, observers: [copies] };
}

/** Finds conversations on this machine; null: a simulated run has none. */
export function locatorOf(
  { backend }: Pick<RunState, "backend">,
  { env }: Pick<Caller, "env">,
): LocateConversation | null {
  if (isSimulated(backend)) return null;
  const place = clientPlace(inherited(env));
  return async (session, cwd, owner) => {
    const store = findAgent(owner)?.conversations?.(place);
    if (store === undefined) return null;
    const { file } = await store.find(session, cwd);
    return { file, beside: withoutEnding(file) };
  };
}

/** Copies the first part of conversations to another run. False if that part is lost. */
export async function carrying(
  backend: string,
  { from, to, secrets }: Pick<CarryParts, "from" | "to" | "secrets">,
  caller: Caller,
): Promise<(conversation: CarriedConversation) => Promise<boolean>> {
  // A simulation has no conversations.
  if (isSimulated(backend)) return () => Promise.resolve(true);
  const store = agentNamed(backend).conversations?.(clientPlace(inherited(caller.env)));
  if (store === undefined) return () => Promise.resolve(false);
  const { kept: files } = await caller.system();
  const places = { from: from.transcripts, to: to.transcripts };
  const mask = secrets.isEmpty ? null : (write: (chunk: Buffer) => void) => secrets.mask(write);
  return (conversation) => copyConversation(conversation, { ...places, store, files, mask });
}
