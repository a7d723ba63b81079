import { fullName } from "../../language/protocol/address.ts";
import { ofBackend } from "../backends/backend-waits.ts";
import { type BackendChoice, startedBy } from "../backends/choose-backend.ts";
import type { Agent, Session, SessionId } from "../model/agent.ts";
import type { Event, RunUpdate } from "../model/event.ts";
import { stepKind, stepName } from "../model/gate.ts";
import { withOwner } from "../model/owners.ts";
import type { RunState } from "../model/run-state.ts";
import { contextOf, updateContexts } from "../spend/context.ts";

export interface StepStart {
  /** The same object as in the run. */
  readonly agent: Agent;
  /** Epoch ms. */
  readonly at: number;
  readonly session: SessionId;
  /** The coding agent of a prompt; absent: the default agent of the run. */
  readonly choice?: BackendChoice | undefined;
}

/** Records the start of a step. Save the run before the process starts. */
export function startStep(run: RunState, input: StepStart): RunUpdate {
  const { choice } = input;
  const { backend = run.backend, insteadOf = null } = choice ?? {};
  // By identity: searching by id is too slow if many start together.
  const index = run.agents.indexOf(input.agent);
  const kind = stepKind(input.agent);
  const isChosen = kind === "prompt" && choice !== undefined;
  const agent = isChosen ? startedBy(run, input.agent, backend) : input.agent;
  if (index === -1) throw new Error(`agent ${agent.id} is not in the run`);
  if (agent.activity.type === "running") throw new Error(`agent ${agent.id} is already in flight`);
  const process = run.processes + 1;
  const { gate } = agent;
  const session = kind === "prompt" ? begin(agent.session, input.session) : agent.session;
  const own = fullName(agent);
  const call = kind === "prompt" ? (run.calls[own] ?? 0) : null;
  const started: Agent = {
    ...agent,
    outage: adjustedOutage(agent, input.at),
    session,
    // A gate is neither a visit nor an attempt of the prompt.
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
      backend: kind === "prompt" ? backend : null,
    },
  };
  const event: Event = {
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
    ...(insteadOf === null ? ofBackend(run, backend) : { backend, insteadOf }),
  };
  const entered = agent.starts === 0 && gate === null ? 1 : 0;
  const visits = (run.visits[own] ?? 0) + entered;
  const owned = kind === "prompt" ? withOwner(run, session.id, backend) : run;
  const next = {
    ...owned,
    agents: run.agents.with(index, started),
    visits: entered === 0 ? run.visits : { ...run.visits, [own]: visits },
    processes: process,
    baselines: branchBaseline(run, session),
    contexts: branchContext(run, session),
    calls: call === null ? run.calls : { ...run.calls, [own]: call + 1 },
  };
  const often = entered === 1 && kind === "prompt" && visits === MANY_VISITS;
  return [next, often ? [event, warnOfVisits(own)] : [event]];
}

/** The outage at a retry. Time beyond the backoff does not count: the machine slept, or the clock was changed. */
function adjustedOutage({ outage, activity }: Agent, at: number): Agent["outage"] {
  if (outage === null || activity.type !== "waiting") return outage;
  const over = at - (activity.until ?? at);
  return over <= 0 ? outage : { ...outage, since: outage.since + over, from: outage.from + over };
}

/** Visits of a prompt that trigger a warning about a possible loop. */
const MANY_VISITS = 100;

function warnOfVisits(state: string): Event {
  const message = `${state} was entered ${String(MANY_VISITS)} times in this run.`;
  return {
    type: "run.warning",
    message,
    hint: `To limit visits, add max_visits to its front matter.`,
  };
}

/** A branch starts with the baseline of its source (docs/budgets.md, "How money is counted"). */
function branchBaseline({ baselines }: RunState, session: Session): RunState["baselines"] {
  if (session.mode !== "branch" || session.id === null) return baselines;
  const source = baselines[session.source];
  return source === undefined ? baselines : { ...baselines, [session.id]: source };
}

/** A branch starts with the context of its source. */
function branchContext(run: RunState, session: Session): RunState["contexts"] {
  const context = session.mode === "branch" ? contextOf(run, session) : null;
  return updateContexts(run.contexts, session.id, context);
}

function begin(session: Session, id: SessionId): Session {
  return session.mode === "resume" || session.id !== null ? session : { ...session, id };
}
