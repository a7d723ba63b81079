import { changedSettings } from "../../config/switches.ts";
import { localTime } from "../../console/local-time.ts";
import { isSimulated } from "../../engine/ports/backend.ts";
import { ownerOfConversation } from "../../inspect/coding-agents.ts";
import { isRemovedWorktree } from "../../inspect/open-command.ts";
import { type RunView, readRun, requireAgent } from "../../inspect/run-view.ts";
import { fullName } from "../../language/protocol/address.ts";
import { stateKind } from "../../language/workflow/files/state-file.ts";
import { runningOf } from "../../machine/model/activity.ts";
import type { Agent, AgentId, SessionId } from "../../machine/model/agent.ts";
import { ownerOf } from "../../machine/model/owners.ts";
import type { RunId, RunSettings, RunState } from "../../machine/model/run-state.ts";
import { openableConversations } from "../../machine/steps/manual-session.ts";
import type { Caller } from "../../wire/caller.ts";
import { manualSessionsIn } from "../../wire/engine/manual-sessions.ts";
import { wireErrors } from "../../wire/errors.ts";
import type { WantedAgents } from "../../wire/stores.ts";
import type { ForegroundCall, ForegroundEnd } from "../../wire/system/foreground.ts";
import type { System } from "../../wire/system/system.ts";
import { cannotStart, openErrors } from "../errors.ts";
import { refuseCopy } from "../record-input.ts";
import { projectTrust, requireTrustedRun, type Trusting } from "../trust.ts";
import { type ManualClients, manualClients } from "./manual-client.ts";
import {
  type HandedBack,
  ManualSession,
  type ReservedAgent,
  type StepInProgress,
} from "./manual-session.ts";

export interface OpenOptions extends WantedAgents, Trusting {
  /** Interrupt a prompt step in progress instead of waiting for it. */
  readonly now?: boolean | undefined;
  /** Open the client without the settings of the project. Default: as the run. */
  readonly ignoreProjectSettings?: boolean | undefined;
  /** Runs a program in the user's terminal. */
  readonly terminal: (call: ForegroundCall) => Promise<ForegroundEnd>;
  readonly onNotice?: ((notice: OpenNotice) => void) | undefined;
}

export type OpenNotice =
  /** A step is in progress: raymond waits for it, or (`now`) interrupts it. */
  | (StepInProgress & { readonly kind: "waits"; readonly agent: AgentId; readonly now: boolean })
  | {
      readonly kind: "opens";
      readonly agent: AgentId;
      readonly session: SessionId;
      readonly cwd: string;
      /** Null if the agent has ended. `of`: the owner of the conversation that the agent branches from. */
      readonly continues: { readonly state: string; readonly of: "agent" | "caller" } | null;
    }
  | { readonly kind: "warning"; readonly message: string };

export type OpenedByHand = { readonly id: RunId; readonly agent: AgentId } & (
  | { readonly outcome: "looked" }
  | (HandedBack & { readonly outcome: "handed-back" })
);

/** A run, and the clients for its conversations. */
interface Openable {
  readonly view: RunView;
  readonly clients: ManualClients;
}

/**
 * Opens the conversation of an agent in a terminal. The agent continues it afterwards. A step in
 * progress is waited for. Rejects with a RaymondError, and has then changed nothing.
 */
export async function open(options: OpenOptions, caller: Caller): Promise<OpenedByHand> {
  const { onNotice = () => undefined } = options;
  const view = await readRun(options, caller);
  const { run, holder, artifacts } = view;
  refuseCopy(run, view.store, view.program);
  if (isSimulated(run.backend)) throw openErrors["run/nothing-to-open"](run.id, run.backend);
  requireAgent(run, options.agent, artifacts.events);
  const id = options.agent ?? onlyAgent(run);
  if (holder?.visible === false) throw wireErrors["run/out-of-reach"](run.id, holder, "elsewhere");
  const warn = (message: string) => {
    onNotice({ kind: "warning", message });
  };
  for (const notice of await requireTrustedRun(view, {}, options, caller)) warn(notice);
  const agent = run.agents.find((each) => each.id === id);
  const origin = run.worktree?.origin ?? run.launchDir;
  const project = { ...projectTrust(agent?.cwd ?? run.launchDir, options), origin };
  const settings = withSettings(run.settings, options);
  const clients = manualClients({ run: { ...run, settings }, artifacts, project, warn }, caller);
  const openable = { view, clients };
  if (agent === undefined) return openEnded(id, openable, options);
  return openLiving(agent, openable, options, caller);
}

function withSettings(settings: RunSettings, { ignoreProjectSettings }: OpenOptions): RunSettings {
  if (ignoreProjectSettings === undefined) return settings;
  return { ...settings, ...changedSettings({ ignoreProjectSettings }, settings) };
}

async function openLiving(
  agent: Agent,
  openable: Openable,
  options: OpenOptions,
  caller: Caller,
): Promise<OpenedByHand> {
  const { view, clients } = openable;
  const { run, holder } = view;
  const { id } = agent;
  const now = options.now === true;
  const system = await caller.system();
  await refuseSecond(id, view, system);
  const [conversation] = openableConversations(agent);
  // Rejects without this client, before the agent is reserved.
  await clients(conversation === undefined ? run.backend : ownerOf(run, conversation));
  const running = runningOf(agent);
  if (running?.kind === "script" && holder !== null && now) {
    throw openErrors["run/script-runs"](run.id, id, fullName(agent));
  }
  // The next state of an agent with a step in progress is unknown.
  if (running === null || holder === null) await conversationToOpen(agent, run, openable);
  const onWait = (step: StepInProgress) => {
    options.onNotice?.({ kind: "waits", agent: id, now, ...step });
  };
  const session = new ManualSession({ view, clients, agent: id, now, onWait, caller, system });
  try {
    await talk(await session.reserve(), session, openable, options);
  } catch (error) {
    await session.cancel();
    throw error;
  }
  return { id: run.id, agent: id, outcome: "handed-back", ...(await session.end()) };
}

function onlyAgent({ id, agents }: RunState): AgentId {
  const [first, ...more] = agents;
  if (more.length > 0)
    throw openErrors["run/which-agent"](
      id,
      agents.map((agent) => agent.id),
    );
  return first?.id ?? "main";
}

async function refuseSecond(agent: AgentId, { artifacts }: RunView, system: System): Promise<void> {
  const folder = artifacts.manualSessions;
  const sessions = await manualSessionsIn(folder, system).list();
  const other = sessions.find((each) => each.open && each.agent === agent);
  if (other !== undefined) throw openErrors["run/open-already"](agent, localTime(other.at), folder);
}

/** The conversation of an agent without a step in progress. */
async function conversationToOpen(
  agent: Agent,
  run: RunState,
  { view: { artifacts }, clients }: Openable,
): Promise<{ readonly session: SessionId; readonly owner: string }> {
  const cwd = agent.cwd ?? run.launchDir;
  const known = openableConversations(agent);
  for (const session of known) {
    const owner = ownerOf(run, session);
    if (await (await clients(owner)).has(session, cwd)) return { session, owner };
  }
  const [last] = known;
  if (last !== undefined && agent.session.mode === "resume") {
    throw openErrors["run/conversation-gone"](run.id, agent.id, last, artifacts.transcripts);
  }
  const isScript = stateKind(agent.state) === "script";
  throw openErrors["run/no-conversation"](run.id, agent.id, fullName(agent), isScript);
}

async function talk(
  { agent, run }: ReservedAgent,
  manual: ManualSession,
  openable: Openable,
  { terminal, onNotice }: OpenOptions,
): Promise<void> {
  const { session, owner } = await conversationToOpen(agent, run, openable);
  const cwd = agent.cwd ?? run.launchDir;
  const of = agent.session.mode === "branch" && agent.session.id !== session ? "caller" : "agent";
  const continues = { state: fullName(agent), of } as const;
  onNotice?.({ kind: "opens", agent: agent.id, session, cwd, continues });
  await manual.open({ session, cwd, owner });
  const onStart = (pid: number) => {
    manual.addProcess(pid);
  };
  const client = await openable.clients(owner);
  await runClient(await client.call(session, cwd, agent), terminal, onStart, owner);
}

/** Opens the last conversation of an ended agent, for reading. */
async function openEnded(
  agent: AgentId,
  { view: { run, artifacts, history }, clients }: Openable,
  { terminal, onNotice }: OpenOptions,
): Promise<OpenedByHand> {
  const last = history?.conversations.get(agent)?.at(-1);
  const state = history?.agents.get(agent)?.state ?? run.workflow.entry;
  if (last === undefined) {
    throw openErrors["run/no-conversation"](run.id, agent, state, stateKind(state) === "script");
  }
  const { session, cwd } = last;
  if (isRemovedWorktree(cwd)) throw openErrors["run/worktree-removed"](run.id, agent, cwd);
  const owner = ownerOfConversation(last, run);
  const client = await clients(owner);
  if (!(await client.has(session, cwd))) {
    throw openErrors["run/conversation-gone"](run.id, agent, session, artifacts.transcripts);
  }
  onNotice?.({ kind: "opens", agent, session, cwd, continues: null });
  await runClient(await client.call(session, cwd, null), terminal, () => undefined, owner);
  return { id: run.id, agent, outcome: "looked" };
}

async function runClient(
  call: Omit<ForegroundCall, "onStart">,
  terminal: OpenOptions["terminal"],
  onStart: (pid: number) => void,
  agent: string,
): Promise<void> {
  const { problem } = await terminal({ ...call, onStart });
  if (problem !== null) throw cannotStart(agent, call, problem);
}
