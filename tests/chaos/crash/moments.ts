import type { AgentDocument, StateDocument } from "../../../src/storage/codec/state-document.ts";

/**
 * The changes between two state files, as names of moments in the lifetime of a step or a run. A name occurs once per
 * change. `before`: null for the first save of a run.
 */
export function momentsOf(before: StateDocument | null, after: StateDocument): readonly string[] {
  if (before === null) return ["created"];
  const earlier = new Map(before.agents.map((agent) => [agent.id, agent]));
  const later = new Map(after.agents.map((agent) => [agent.id, agent]));
  return [
    ...before.agents.flatMap((agent) => momentsOfAgent(agent, later.get(agent.id))),
    ...after.agents.flatMap((agent) => {
      if (earlier.has(agent.id)) return [];
      return ["forked", ...startsOf(undefined, agent)];
    }),
    ...momentsOfRun(before, after),
  ];
}

function momentsOfRun(before: StateDocument, after: StateDocument): readonly string[] {
  const { stop_reason: stop, status } = after;
  return [
    ...(stop !== null && before.stop_reason === null ? [`stopping.${stop.class}`] : []),
    ...(after.total_cost_usd > before.total_cost_usd ? ["paid"] : []),
    ...(status === before.status ? [] : [`run.${status}`]),
  ];
}

function momentsOfAgent(
  before: AgentDocument,
  after: AgentDocument | undefined,
): readonly string[] {
  if (after === undefined) return ["ended"];
  const joined = causeOf(before) === "join" && causeOf(after) !== "join";
  const answered = causeOf(before) === "answer" && causeOf(after) !== "answer";
  return [
    ...(joined ? ["joined"] : []),
    ...(answered ? ["answered"] : []),
    ...endOf(before, after),
    ...startsOf(before, after),
    ...progressOf(before, after),
  ];
}

function startsOf(before: AgentDocument | undefined, after: AgentDocument): readonly string[] {
  const flight = flightOf(after);
  if (flight === null || flight.process === flightOf(before)?.process) return [];
  return [`started.${flight.kind}`];
}

function progressOf(before: AgentDocument, after: AgentDocument): readonly string[] {
  const [was, is] = [flightOf(before), flightOf(after)];
  if (was === null || was.process !== is?.process) return [];
  return [
    ...(is.accepted && !was.accepted ? ["accepted"] : []),
    ...(JSON.stringify(is.spend) === JSON.stringify(was.spend) ? [] : ["spending"]),
  ];
}

/** What an agent waits for. */
function causeOf({ activity }: AgentDocument): string | null {
  return activity?.type === "waiting" ? activity.for.kind : null;
}

/** The step that an agent is in. */
function flightOf(agent: AgentDocument | undefined) {
  return agent?.activity?.type === "running" ? agent.activity : null;
}

/** What became of the attempt that was in flight. */
function endOf(before: AgentDocument, after: AgentDocument): readonly string[] {
  const flight = flightOf(before);
  if (flight === null || flight.process === flightOf(after)?.process) return [];
  if (before.gate == null && after.gate != null) return ["verifying"];
  if ((after.sent_back?.times ?? 0) > (before.sent_back?.times ?? 0)) return ["sent-back"];
  // A step that has just been entered was started at most by this save.
  const moved = (after.starts ?? 0) <= (flightOf(after) === null ? 0 : 1);
  if (moved) return [transitionOf(before, after)];
  if (after.status === "failed") return ["failed"];
  if ((after.reminders ?? 0) > (before.reminders ?? 0)) return ["reminded"];
  if (after.delivery === "capped") return ["capped"];
  if ((after.outage?.tries ?? 0) > (before.outage?.tries ?? 0)) return ["outage"];
  if ((after.retries ?? 0) > (before.retries ?? 0)) return ["retrying"];
  if (after.status === "waiting") return ["limit"];
  return ["cut"];
}

/**
 * The tag that a move obeyed, by what it did to stack and session
 * (docs/protocol.md, "Effects of tags").
 */
function transitionOf(before: AgentDocument, after: AgentDocument): string {
  const cause = causeOf(after);
  if (cause === "join") return "joining";
  if (cause === "answer") return "asking";
  if (cause === "delay") return "delayed";
  if (after.wanted !== undefined) return "handed-over";
  const depth = after.stack.length - before.stack.length;
  if (depth > 0 && after.stack.at(-1)?.crossed === true) return "entered";
  if (depth > 0) return after.session.mode === "branch" ? "call" : "function";
  const back = after.workflow === before.workflow ? "return" : "returned";
  if (depth < 0 && after.pending_result !== null) return back;
  const cleared = after.session.mode === "fresh" && before.session_id !== null;
  if (after.stack.length === 0 && cleared) return "reset";
  if (depth < 0) return back;
  return after.pending_result === null ? "goto" : "diverted";
}
