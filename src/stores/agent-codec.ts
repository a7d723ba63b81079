import { READY } from "../core/machine/activity.ts";
import { type Agent, conversationOf, type Frame, type Session } from "../core/machine/agent.ts";
import { NO_SUMS } from "../core/machine/sums.ts";
import { agentStatus, decodeActivity, encodeActivity } from "./activity-codec.ts";
import type { AgentDocument, FrameDocument, PayloadReference, SessionDocument } from "./schema.ts";
import { decodeSums, encodeSums } from "./sums-codec.ts";
import { parseMoment, parseSeconds, printMoment, printSeconds } from "./units.ts";

/** An agent as the state file has it; what has its initial value is left out, where the schema allows. */
export function encodeAgent(
  agent: Agent,
  store: (text: string) => string | PayloadReference,
): AgentDocument {
  return {
    id: agent.id,
    status: agentStatus(agent.activity),
    current_state: agent.state,
    session: encodeSession(agent.session),
    session_id: conversationOf(agent.session),
    stack: agent.stack.map(encodeFrame),
    cwd: agent.cwd,
    fork_attributes: agent.attributes,
    pending_result: agent.pendingResult === null ? null : store(agent.pendingResult),
    ...(isSameSession(agent.entered, agent.session)
      ? {}
      : { entered: encodeSession(agent.entered) }),
    ...(agent.readySince === 0 ? {} : { ready_since: agent.readySince }),
    ...(agent.starts === 0 ? {} : { starts: agent.starts }),
    ...(agent.reminders === 0 ? {} : { reminders: agent.reminders }),
    ...(agent.retries === 0 ? {} : { retries: agent.retries }),
    ...(agent.fault === null
      ? {}
      : { fault: { code: agent.fault.code, message: agent.fault.message } }),
    ...(agent.elapsedMs === 0 ? {} : { elapsed_s: printSeconds(agent.elapsedMs) }),
    ...(agent.delivery === "prompt" ? {} : { delivery: agent.delivery }),
    ...(agent.outage === null
      ? {}
      : { outage: { since: printMoment(agent.outage.since), tries: agent.outage.tries } }),
    ...(agent.activity.type === "ready" ? {} : { activity: encodeActivity(agent.activity) }),
    ...(agent.sums.attempts === 0 ? {} : { sums: encodeSums(agent.sums) }),
  };
}

/** The agent that {@link encodeAgent} was given; `open` gives the text of what lies beside. */
export function decodeAgent(
  json: AgentDocument,
  open: (stored: string | PayloadReference) => string,
): Agent {
  const session = decodeSession(json.session);
  return {
    id: json.id,
    activity: json.activity === undefined ? READY : decodeActivity(json.activity),
    state: json.current_state,
    session,
    entered: json.entered === undefined ? session : decodeSession(json.entered),
    stack: json.stack.map(decodeFrame),
    cwd: json.cwd,
    attributes: json.fork_attributes,
    pendingResult: json.pending_result === null ? null : open(json.pending_result),
    readySince: json.ready_since ?? 0,
    starts: json.starts ?? 0,
    reminders: json.reminders ?? 0,
    fault: json.fault ?? null,
    delivery: json.delivery ?? "prompt",
    retries: json.retries ?? 0,
    elapsedMs: parseSeconds(json.elapsed_s ?? 0),
    outage: json.outage ? { ...json.outage, since: parseMoment(json.outage.since) } : null,
    sums: json.sums === undefined ? NO_SUMS : decodeSums(json.sums),
  };
}

function encodeSession(session: Session): SessionDocument {
  switch (session.mode) {
    case "fresh":
      return { mode: "fresh", id: session.id, source: null };
    case "resume":
      return { mode: "resume", id: session.id, source: null };
    case "branch":
      return { mode: "branch", id: session.id, source: session.source };
  }
}

function decodeSession(json: SessionDocument): Session {
  switch (json.mode) {
    case "fresh":
      return { mode: "fresh", id: json.id };
    case "resume":
      return { mode: "resume", id: json.id };
    case "branch":
      return { mode: "branch", source: json.source, id: json.id };
  }
}

function encodeFrame({ session, returnTo }: Frame): FrameDocument {
  const state = returnTo;
  switch (session.mode) {
    case "fresh":
      return { session: null, state, ...(session.id === null ? {} : { id: session.id }) };
    case "resume":
      return { session: session.id, state };
    case "branch": {
      const id = session.id === null ? {} : { id: session.id };
      return { session: session.source, state, branch: true, ...id };
    }
  }
}

function decodeFrame(json: FrameDocument): Frame {
  const returnTo = json.state;
  const id = json.id ?? null;
  if (json.session === null) return { session: { mode: "fresh", id }, returnTo };
  if (json.branch) return { session: { mode: "branch", source: json.session, id }, returnTo };
  return { session: { mode: "resume", id: json.session }, returnTo };
}

function isSameSession(a: Session, b: Session): boolean {
  if (a.mode !== b.mode || a.id !== b.id) return false;
  return conversationOf(a) === conversationOf(b);
}
