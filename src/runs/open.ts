import { runningOf } from "../core/machine/activity.ts";
import type { Agent, AgentId, SessionId } from "../core/machine/agent.ts";
import { conversationsToOpen } from "../core/machine/opening.ts";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import { fullName } from "../core/protocol/address.ts";
import { stateKind } from "../core/workflow/state-file.ts";
import { localTime } from "../observers/local-time.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { HolderOutOfReachError } from "./errors.ts";
import { inspect } from "./inspect.ts";
import { requireAgent } from "./known-agents.ts";
import {
  ClientNotStartedError,
  ConversationGoneError,
  NoConversationError,
  NothingToOpenError,
  OpenAlreadyError,
  ScriptRunsError,
  WhichAgentError,
} from "./open-errors.ts";
import { isOpenedByHand } from "./report.ts";
import { beginStay, type HandedBack, type Stay, type Visited, type Working } from "./stay.ts";
import { requireTrustedRun, type Trusting } from "./trust.ts";
import type { WantedAgents } from "./wake.ts";
import { byHand } from "./wire/by-hand.ts";
import type { ForegroundCall, ForegroundEnd } from "./wire/foreground.ts";
import { openingsIn } from "./wire/openings.ts";
import { nameRun } from "./wire/stores.ts";

/** A conversation that a person wants to talk in. */
export interface OpenOptions extends WantedAgents, Trusting {
  /** A prompt step of the agent that runs is interrupted, and not waited for. */
  readonly now?: boolean | undefined;
  /** Hands a program the terminal at which the person sits. */
  readonly terminal: (call: ForegroundCall) => Promise<ForegroundEnd>;
  readonly told?: ((notice: OpenNotice) => void) | undefined;
}

/** What there is to tell before the conversation is open. */
export type OpenNotice =
  /** The agent works in that step: it is waited for, or (`now`) was interrupted. */
  | (Working & { readonly kind: "waits"; readonly agent: AgentId; readonly now: boolean })
  | {
      readonly kind: "opens";
      readonly agent: AgentId;
      readonly session: SessionId;
      readonly cwd: string;
      /** Null where nothing goes on from it: the agent has ended. `of`: whose it is where the agent is to branch from it. */
      readonly goesOn: { readonly state: string; readonly of: "agent" | "caller" } | null;
    }
  | { readonly kind: "warning"; readonly message: string };

/** What came of it. */
export type OpenedByHand = { readonly id: RunId; readonly agent: AgentId } & (
  | { readonly outcome: "looked" }
  | (HandedBack & { readonly outcome: "handed-back" })
);

/**
 * Opens the conversation of an agent in a terminal, and lets the agent go on from what was said there. One
 * that works is waited for. Rejects with a RaymondError, and has then changed nothing.
 */
export async function open(
  options: OpenOptions,
  caller: Caller = thisProcess(),
): Promise<OpenedByHand> {
  const { told = () => undefined } = options;
  const named = await nameRun(options, caller);
  const { run, holder, artifacts, history } = await inspect(options, caller);
  if (!isOpenedByHand(run)) throw new NothingToOpenError(run.id, run.backend);
  requireAgent(run, options.agent, artifacts.events);
  const id = options.agent ?? onlyAgent(run);
  if (holder?.visible === false) throw new HolderOutOfReachError(run.id, holder, "elsewhere");
  const warn = (message: string) => {
    told({ kind: "warning", message });
  };
  for (const notice of await requireTrustedRun(run, {}, artifacts, options, caller)) warn(notice);
  const hand = await byHand(run, artifacts, warn, caller);
  const visited: Visited = { ...named, run, artifacts, history, hand };
  const agent = run.agents.find((each) => each.id === id);
  if (agent === undefined) return look(id, visited, options);

  await refuseSecond(agent, visited, caller);
  const running = runningOf(agent);
  if (running?.kind === "script" && holder !== null && options.now === true) {
    throw new ScriptRunsError(run.id, id, fullName(agent));
  }
  // Of one that works nobody knows yet where it will stand.
  if (running === null || holder === null) await toOpen(agent, visited);
  const now = options.now === true;
  const waits = (works: Working) => {
    told({ kind: "waits", agent: id, now, ...works });
  };
  const stay = await beginStay(agent, { now, waits }, visited, caller);
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
    throw new WhichAgentError(
      id,
      agents.map((agent) => agent.id),
    );
  return first?.id ?? "main";
}

async function refuseSecond(
  { id }: Agent,
  { artifacts: { openings } }: Visited,
  caller: Caller,
): Promise<void> {
  const visits = await openingsIn(openings, await caller.system()).list();
  const other = visits.find(({ agent, open }) => open && agent === id);
  if (other !== undefined) throw new OpenAlreadyError(id, localTime(other.at), openings);
}

/** The conversation of an agent that makes no step, which its client has. */
async function toOpen(agent: Agent, { run, artifacts, hand }: Visited): Promise<SessionId> {
  const cwd = agent.cwd ?? run.launchDir;
  const known = conversationsToOpen(agent);
  for (const session of known) if (await hand.has(session, cwd)) return session;
  const [last] = known;
  if (last !== undefined && agent.session.mode === "resume") {
    throw new ConversationGoneError(run.id, agent.id, last, artifacts.transcripts);
  }
  const isScript = stateKind(agent.state) === "script";
  throw new NoConversationError(run.id, agent.id, fullName(agent), isScript);
}

async function talk(
  agent: Agent,
  session: SessionId,
  stay: Stay,
  { run, hand }: Visited,
  { terminal, told }: OpenOptions,
): Promise<void> {
  const cwd = agent.cwd ?? run.launchDir;
  const of = agent.session.mode === "branch" && agent.session.id !== session ? "caller" : "agent";
  told?.({ kind: "opens", agent: agent.id, session, cwd, goesOn: { state: fullName(agent), of } });
  await stay.opens(session, cwd);
  await show(await hand.call(session, cwd, agent), terminal, (pid) => {
    stay.shows(pid);
  });
}

/** Of an agent that has ended the last conversation can be looked at. */
async function look(
  agent: AgentId,
  { run, artifacts, history, hand }: Visited,
  { terminal, told }: OpenOptions,
): Promise<OpenedByHand> {
  const last = history?.conversations.get(agent)?.at(-1);
  const state = history?.agents.get(agent)?.state ?? run.workflow.entry;
  if (last === undefined) {
    throw new NoConversationError(run.id, agent, state, stateKind(state) === "script");
  }
  const { session, cwd } = last;
  if (!(await hand.has(session, cwd))) {
    throw new ConversationGoneError(run.id, agent, session, artifacts.transcripts);
  }
  told?.({ kind: "opens", agent, session, cwd, goesOn: null });
  await show(await hand.call(session, cwd, null), terminal, () => undefined);
  return { id: run.id, agent, outcome: "looked" };
}

async function show(
  call: Omit<ForegroundCall, "onStart">,
  terminal: OpenOptions["terminal"],
  onStart: (pid: number) => void,
): Promise<void> {
  const { problem } = await terminal({ ...call, onStart });
  if (problem !== null) throw new ClientNotStartedError(call.command, call.cwd, problem);
}
