import type { StateName } from "../protocol/transition.ts";
import { stateKind } from "../workflow/state-file.ts";
import type { Agent, AgentId, InFlight, Session, SessionId } from "./agent.ts";
import { endStep, type StepEnd } from "./end-step.ts";
import type { Event, Told } from "./event.ts";
import { findAgent, replaceAgent } from "./roster.ts";
import type { RunState, StopReason } from "./run-state.ts";
import type { SpendReport } from "./spend.ts";
import { stopOverBudget, stopRun } from "./stop.ts";
import { hurry } from "./wait.ts";

/** Something that happened to a run. Times are epoch ms. */
export type Input =
  /** A step is about to start: recorded, and saved, before its process exists. */
  | {
      readonly type: "started";
      readonly agent: AgentId;
      readonly at: number;
      /** A new session id, for a step that begins one. */
      readonly session: SessionId;
    }
  /** The client took the prompt of a step in flight. */
  | { readonly type: "accepted"; readonly agent: AgentId; readonly process: number }
  /** What a step in flight has used so far. */
  | {
      readonly type: "spending";
      readonly agent: AgentId;
      readonly process: number;
      readonly spend: SpendReport;
    }
  /** A step ended, and was judged. */
  | (StepEnd & { readonly type: "ended" })
  /** Somebody asks not to wait any longer: for the usage limit, or for the end of an outage. */
  | { readonly type: "hurried"; readonly at: number }
  /** Somebody asks the run to stop. */
  | { readonly type: "stopped"; readonly reason: StopReason };

/**
 * The transition function of a run: from where the run is and what happened to
 * where the run goes and what there is to tell. Pure: it reads no clock, throws
 * no dice and starts nothing. Work to do next is not returned but derived from
 * the new state (`plan`), so a crash after the save has nothing left to lose.
 */
export function advance(run: RunState, input: Input): Told {
  switch (input.type) {
    case "started":
      return start(run, input);
    case "accepted":
      return [note(run, input, { accepted: true }), []];
    case "spending":
      return stopOverBudget(note(run, input, { spend: input.spend }));
    case "ended":
      return endStep(run, input);
    case "hurried":
      return hurry(run, input.at);
    case "stopped":
      return stopRun(run, input.reason);
  }
}

function start(run: RunState, input: Extract<Input, { type: "started" }>): Told {
  const agent = findAgent(run, input.agent);
  if (agent.inFlight !== null) throw new Error(`agent ${agent.id} is already in flight`);
  const process = run.processes + 1;
  const kind = stateKind(agent.state);
  const session = kind === "prompt" ? begin(agent.session, input.session) : agent.session;
  const reply =
    kind === "prompt" && run.backend === "simulation" ? (run.replies[agent.state] ?? 0) : null;
  const started: Agent = {
    ...agent,
    status: "ready",
    notBefore: null,
    outage: lengthened(agent, input.at),
    session,
    starts: agent.starts + 1,
    inFlight: {
      process,
      kind,
      startedAt: new Date(input.at).toISOString(),
      accepted: false,
      spend: null,
      reply,
    },
  };
  const told: Event = {
    type: "step.started",
    agent: agent.id,
    state: agent.state,
    kind,
    process,
    attempt: started.starts,
    session: kind === "prompt" ? session.mode : null,
    sessionId: kind === "prompt" ? session.id : null,
    cwd: agent.cwd ?? run.launchDir,
    delivery: agent.delivery,
  };
  const entered = agent.starts === 0 ? 1 : 0;
  const visits = (run.visits[agent.state] ?? 0) + entered;
  const next = {
    ...replaceAgent(run, started),
    visits: entered === 0 ? run.visits : { ...run.visits, [agent.state]: visits },
    processes: process,
    baselines: branchBaseline(run, session),
    replies: reply === null ? run.replies : { ...run.replies, [agent.state]: reply + 1 },
  };
  const often = entered === 1 && kind === "prompt" && visits === MANY_VISITS;
  return [next, often ? [told, warnOfVisits(agent.state)] : [told]];
}

/**
 * The outage of an agent that tries again. What passed beyond its pause is not
 * the outage's: the machine slept, or somebody has set the clock forward.
 */
function lengthened({ outage, notBefore }: Agent, at: number): Agent["outage"] {
  if (outage === null || notBefore === null || at <= notBefore) return outage;
  return { ...outage, since: outage.since + (at - notBefore) };
}

/** A prompt state that is entered so often may be a loop that nobody wanted to pay for. */
const MANY_VISITS = 100;

function warnOfVisits(state: StateName): Event {
  const message = `${state} was entered ${String(MANY_VISITS)} times in this run.`;
  return {
    type: "run.warning",
    message,
    hint: `If that is not meant, write max_visits in its front matter.`,
  };
}

/** A branch copies its source's baseline at the moment it is made (contract point 5). */
function branchBaseline({ baselines }: RunState, session: Session): RunState["baselines"] {
  if (session.mode !== "branch" || session.id === null) return baselines;
  const source = baselines[session.source];
  return source === undefined ? baselines : { ...baselines, [session.id]: source };
}

function begin(session: Session, id: SessionId): Session {
  return session.mode === "resume" || session.id !== null ? session : { ...session, id };
}

/** Adds to what is known of a step in flight. It may have ended in the same breath. */
function note(
  run: RunState,
  { agent: id, process }: { readonly agent: AgentId; readonly process: number },
  known: Partial<InFlight>,
): RunState {
  const agent = run.agents.find((other) => other.id === id);
  if (agent?.inFlight?.process !== process) return run;
  return replaceAgent(run, { ...agent, inFlight: { ...agent.inFlight, ...known } });
}
