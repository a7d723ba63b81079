import { localTime } from "../../console/local-time.ts";
import { inspect, requireAgent } from "../../inspect/inspect.ts";
import { isOpenedByHand } from "../../inspect/report.ts";
import { fullName } from "../../language/protocol/address.ts";
import { stateKind } from "../../language/workflow/files/state-file.ts";
import { runningOf } from "../../machine/activity.ts";
import type { Agent, AgentId, SessionId } from "../../machine/agent.ts";
import { openableConversations } from "../../machine/manual-session.ts";
import type { RunId, RunState } from "../../machine/run-state.ts";
import { type Caller, thisProcess } from "../../wire/caller.ts";
import { openingsIn } from "../../wire/engine/openings.ts";
import { wireErrors } from "../../wire/errors.ts";
import { nameRun, type WantedAgents } from "../../wire/stores.ts";
import type { ForegroundCall, ForegroundEnd } from "../../wire/system/foreground.ts";
import { openErrors } from "../errors.ts";
import { requireTrustedRun, type Trusting } from "../trust.ts";
import { openManualClient } from "./manual-client.ts";
import {
  type HandedBack,
  type ManualSession,
  type ManualSessionRun,
  openManualSession,
  type StepInProgress,
} from "./manual-session.ts";

/** A conversation that a person wants to talk in. */
export interface OpenOptions extends WantedAgents, Trusting {
  /** A prompt step of the agent that runs is interrupted, and not waited for. */
  readonly now?: boolean | undefined;
  /** Hands a program the terminal at which the person sits. */
  readonly terminal: (call: ForegroundCall) => Promise<ForegroundEnd>;
  readonly onNotice?: ((notice: OpenNotice) => void) | undefined;
}

/** A notice before the conversation is open. */
export type OpenNotice =
  /** The agent works in that step: it is waited for, or (`now`) was interrupted. */
  | (StepInProgress & { readonly kind: "waits"; readonly agent: AgentId; readonly now: boolean })
  | {
      readonly kind: "opens";
      readonly agent: AgentId;
      readonly session: SessionId;
      readonly cwd: string;
      /**
       * Null if the agent has ended. `of`: the owner of the conversation that the agent branches
       * from.
       */
      readonly goesOn: { readonly state: string; readonly of: "agent" | "caller" } | null;
    }
  | { readonly kind: "warning"; readonly message: string };

/** What came of it. */
export type OpenedByHand = { readonly id: RunId; readonly agent: AgentId } & (
  | { readonly outcome: "looked" }
  | (HandedBack & { readonly outcome: "handed-back" })
);

/**
 * Opens the conversation of an agent in a terminal. The agent continues it afterwards. A step in
 * progress is waited for. Rejects with a RaymondError, and has then changed nothing.
 */
export async function open(
  options: OpenOptions,
  caller: Caller = thisProcess(),
): Promise<OpenedByHand> {
  const { onNotice = () => undefined } = options;
  const named = await nameRun(options, caller);
  const { run, holder, artifacts, history } = await inspect(options, caller);
  if (!isOpenedByHand(run)) throw openErrors["run/nothing-to-open"](run.id, run.backend);
  requireAgent(run, options.agent, artifacts.events);
  const id = options.agent ?? onlyAgent(run);
  if (holder?.visible === false) throw wireErrors["run/out-of-reach"](run.id, holder, "elsewhere");
  const warn = (message: string) => {
    onNotice({ kind: "warning", message });
  };
  for (const notice of await requireTrustedRun(run, {}, artifacts, options, caller)) warn(notice);
  const hand = await openManualClient(run, artifacts, warn, caller);
  const visited: ManualSessionRun = { ...named, run, artifacts, history, hand };
  const agent = run.agents.find((each) => each.id === id);
  if (agent === undefined) return look(id, visited, options);

  await refuseSecond(agent, visited, caller);
  const running = runningOf(agent);
  if (running?.kind === "script" && holder !== null && options.now === true) {
    throw openErrors["run/script-runs"](run.id, id, fullName(agent));
  }
  // The next state of an agent with a step in progress is unknown.
  if (running === null || holder === null) await toOpen(agent, visited);
  const now = options.now === true;
  const waits = (works: StepInProgress) => {
    onNotice({ kind: "waits", agent: id, now, ...works });
  };
  const stay = await openManualSession(agent, { now, waits }, visited, caller);
  try {
    const kept = await stay.agent();
    const session = await toOpen(kept, visited);
    await talk(kept, session, stay, visited, options);
  } catch (error) {
    await stay.withdraw();
    throw error;
  }
  return { id: run.id, agent: id, outcome: "handed-back", ...(await stay.leave()) };
}

/** The agent that is meant where none is named. */
function onlyAgent({ id, agents }: RunState): AgentId {
  const [first, ...more] = agents;
  if (more.length > 0)
    throw openErrors["run/which-agent"](
      id,
      agents.map((agent) => agent.id),
    );
  return first?.id ?? "main";
}

async function refuseSecond(
  { id }: Agent,
  { artifacts: { manualSessions: openings } }: ManualSessionRun,
  caller: Caller,
): Promise<void> {
  const visits = await openingsIn(openings, await caller.system()).list();
  const other = visits.find(({ agent, open }) => open && agent === id);
  if (other !== undefined) throw openErrors["run/open-already"](id, localTime(other.at), openings);
}

/** The conversation of an agent that makes no step, which its client has. */
async function toOpen(
  agent: Agent,
  { run, artifacts, hand }: ManualSessionRun,
): Promise<SessionId> {
  const cwd = agent.cwd ?? run.launchDir;
  const known = openableConversations(agent);
  for (const session of known) if (await hand.has(session, cwd)) return session;
  const [last] = known;
  if (last !== undefined && agent.session.mode === "resume") {
    throw openErrors["run/conversation-gone"](run.id, agent.id, last, artifacts.transcripts);
  }
  const isScript = stateKind(agent.state) === "script";
  throw openErrors["run/no-conversation"](run.id, agent.id, fullName(agent), isScript);
}

async function talk(
  agent: Agent,
  session: SessionId,
  stay: ManualSession,
  { run, hand }: ManualSessionRun,
  { terminal, onNotice }: OpenOptions,
): Promise<void> {
  const cwd = agent.cwd ?? run.launchDir;
  const of = agent.session.mode === "branch" && agent.session.id !== session ? "caller" : "agent";
  onNotice?.({
    kind: "opens",
    agent: agent.id,
    session,
    cwd,
    goesOn: { state: fullName(agent), of },
  });
  await stay.opens(session, cwd);
  await show(await hand.call(session, cwd, agent), terminal, (pid) => {
    stay.shows(pid);
  });
}

/** Of an agent that has ended the last conversation can be looked at. */
async function look(
  agent: AgentId,
  { run, artifacts, history, hand }: ManualSessionRun,
  { terminal, onNotice }: OpenOptions,
): Promise<OpenedByHand> {
  const last = history?.conversations.get(agent)?.at(-1);
  const state = history?.agents.get(agent)?.state ?? run.workflow.entry;
  if (last === undefined) {
    throw openErrors["run/no-conversation"](run.id, agent, state, stateKind(state) === "script");
  }
  const { session, cwd } = last;
  if (!(await hand.has(session, cwd))) {
    throw openErrors["run/conversation-gone"](run.id, agent, session, artifacts.transcripts);
  }
  onNotice?.({ kind: "opens", agent, session, cwd, goesOn: null });
  await show(await hand.call(session, cwd, null), terminal, () => undefined);
  return { id: run.id, agent, outcome: "looked" };
}

async function show(
  call: Omit<ForegroundCall, "onStart">,
  terminal: OpenOptions["terminal"],
  onStart: (pid: number) => void,
): Promise<void> {
  const { problem } = await terminal({ ...call, onStart });
  if (problem !== null) throw openErrors["claude/unusable"](call.command, call.cwd, problem);
}
