import { fullName } from "../protocol/address.ts";
import type { Agent, Session, SessionId } from "./agent.ts";
import { contextOf, learnContext } from "./context.ts";
import type { Advanced, Event } from "./event.ts";
import { stepKind, stepName } from "./gate.ts";
import type { RunState } from "./run-state.ts";

/** A step that is about to start. */
export interface StepStart {
  /** As it stands in the run. */
  readonly agent: Agent;
  /** Epoch ms. */
  readonly at: number;
  /** A new session id, for a step that begins one. */
  readonly session: SessionId;
}

/** Records that a step is about to start: to be saved before its process exists. */
export function startStep(run: RunState, input: StepStart): Advanced {
  const { agent } = input;
  // By identity: many that start together must not each be looked for by name.
  const index = run.agents.indexOf(agent);
  if (index === -1) throw new Error(`agent ${agent.id} is not in the run as it stands`);
  if (agent.activity.type === "running") throw new Error(`agent ${agent.id} is already in flight`);
  const process = run.processes + 1;
  const { gate } = agent;
  const kind = stepKind(agent);
  const session = kind === "prompt" ? begin(agent.session, input.session) : agent.session;
  const own = fullName(agent);
  const call = kind === "prompt" ? (run.calls[own] ?? 0) : null;
  const started: Agent = {
    ...agent,
    outage: lengthened(agent, input.at),
    session,
    // A gate is no visit of its own, and no attempt of the prompt.
    starts: agent.starts + (gate === null ? 1 : 0),
    gate: gate && { ...gate, starts: gate.starts + 1 },
    activity: {
      type: "running",
      process,
      kind,
      startedAt: new Date(input.at).toISOString(),
      accepted: false,
      conversationBytes: null,
      spend: null,
      call,
    },
  };
  const told: Event = {
    type: "step.started",
    agent: agent.id,
    state: stepName(agent),
    kind,
    process,
    attempt: started.gate?.starts ?? started.starts,
    session: kind === "prompt" ? session.mode : null,
    sessionId: kind === "prompt" ? session.id : null,
    cwd: agent.cwd ?? run.launchDir,
    delivery: gate === null ? agent.delivery : "prompt",
  };
  const entered = agent.starts === 0 && gate === null ? 1 : 0;
  const visits = (run.visits[own] ?? 0) + entered;
  const next = {
    ...run,
    agents: run.agents.with(index, started),
    visits: entered === 0 ? run.visits : { ...run.visits, [own]: visits },
    processes: process,
    baselines: branchBaseline(run, session),
    contexts: branchContext(run, session),
    calls: call === null ? run.calls : { ...run.calls, [own]: call + 1 },
  };
  const often = entered === 1 && kind === "prompt" && visits === MANY_VISITS;
  return [next, often ? [told, warnOfVisits(own)] : [told]];
}

/**
 * The outage of an agent that tries again. What passed beyond its pause is not
 * the outage's: the machine slept, or somebody has set the clock forward.
 */
function lengthened({ outage, activity }: Agent, at: number): Agent["outage"] {
  if (outage === null || activity.type !== "waiting") return outage;
  const over = at - (activity.until ?? at);
  return over <= 0 ? outage : { ...outage, since: outage.since + over };
}

/** A prompt state that is entered so often may be a loop that nobody wanted to pay for. */
const MANY_VISITS = 100;

function warnOfVisits(state: string): Event {
  const message = `${state} was entered ${String(MANY_VISITS)} times in this run.`;
  return {
    type: "run.warning",
    message,
    hint: `If that is not meant, write max_visits in its front matter.`,
  };
}

/**
 * A branch copies its source's baseline at the moment it is made
 * (docs/budgets.md, "How money is counted").
 */
function branchBaseline({ baselines }: RunState, session: Session): RunState["baselines"] {
  if (session.mode !== "branch" || session.id === null) return baselines;
  const source = baselines[session.source];
  return source === undefined ? baselines : { ...baselines, [session.id]: source };
}

/** A branch holds what its source holds at that moment. */
function branchContext(run: RunState, session: Session): RunState["contexts"] {
  const context = session.mode === "branch" ? contextOf(run, session) : null;
  return learnContext(run.contexts, session.id, context);
}

function begin(session: Session, id: SessionId): Session {
  return session.mode === "resume" || session.id !== null ? session : { ...session, id };
}
