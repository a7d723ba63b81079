import { parseDuration } from "../../language/basics/duration.ts";
import { fullName } from "../../language/protocol/address.ts";
import { readOptions } from "../../language/protocol/options.ts";
import { excerpt } from "../../language/protocol/scan/excerpt.ts";
import type { Continuation, StateName } from "../../language/protocol/transition.ts";
import { stateKind } from "../../language/workflow/files/state-file.ts";
import { isParked, type PendingQuestion, pendingQuestionOf, waitFor } from "../model/activity.ts";
import type { Agent, AgentId } from "../model/agent.ts";
import type { Answer } from "../model/answer.ts";
import type { Event, RunUpdate } from "../model/event.ts";
import { replaceAgent, updateAgent } from "../model/roster.ts";
import type { RunState } from "../model/run-state.ts";
import { enter } from "./apply-transition.ts";
import { applyPermission } from "./permission.ts";

type Asking = Extract<Continuation, { tag: "ask" }>;

export interface Question extends PendingQuestion {
  readonly agent: AgentId;
  /** Timeout, epoch ms; null: none. */
  readonly until: number | null;
}

export function questionOf(agent: Agent): Question | null {
  const asked = pendingQuestionOf(agent);
  if (asked === null || agent.activity.type !== "waiting") return null;
  return { ...asked, agent: agent.id, until: agent.activity.until };
}

export function questionsOf({ agents }: Pick<RunState, "agents">): readonly Question[] {
  return agents.flatMap((agent) => questionOf(agent) ?? []);
}

/** The agent in its next state, waiting for an answer (docs/protocol.md, "Questions"). */
export function startQuestion(
  run: RunState,
  asker: Agent,
  entered: Agent,
  way: Asking,
  { at, call }: { readonly at: number; readonly call: number | null },
): Agent {
  const { question, options, timeout, timeoutNext, input } = way;
  const ms = timeout === undefined ? null : parseDuration(timeout);
  return {
    ...entered,
    activity: waitFor(ms, at, {
      kind: "answer",
      number: run.steps,
      question,
      options: options === undefined ? null : readOptions(options),
      late: timeoutNext === undefined ? null : { state: timeoutNext, input: input ?? null },
      from: fullName(asker),
      call: call ?? lastCall(run, asker),
      denied: undefined,
    }),
  };
}

/** One line: `Ship it? (yes | no)`. */
export function formatQuestion({
  question,
  options,
}: Pick<PendingQuestion, "question" | "options">): string {
  const choices = options === null ? "" : ` (${excerpt(options.join(" | "), MAX_SHOWN)})`;
  return `${excerpt(question.trim(), MAX_SHOWN)}${choices}`;
}

/** One line, shortened. */
export function formatAnswer(answer: string): string {
  return excerpt(answer.trim(), MAX_SHOWN);
}

const MAX_SHOWN = 200;

export function questionEvent(asked: Question): Event {
  const { agent, from: state, number, question, options, until } = asked;
  return { type: "agent.asked", agent, state, number, question, options, until };
}

/** Continues an agent with the answer. Ignores answers after the first one or after the timeout. */
export function applyAnswer(run: RunState, { agent: id, ...answered }: Answer): RunUpdate {
  const agent = run.agents.find((each) => each.id === id);
  const question = agent === undefined ? null : questionOf(agent);
  if (agent === undefined || question?.number !== answered.number) return [run, []];
  if (question.until !== null && answered.at > question.until) return [run, []];
  const { number, answer, by, at } = answered;
  const event = { agent: id, state: fullName(agent), number, answer, by, at };
  const [decided, next] =
    question.denied === undefined
      ? [run, continueWith(run, agent, agent.state, answer)]
      : applyPermission(run, agent, question.denied, answer);
  return updateAgent(decided, next, { type: "agent.answered", ...event });
}

/** Ends questions that have timed out. Apply answers that arrived in time first. */
export function timeOutQuestions(run: RunState, now: number): RunUpdate {
  const events: Event[] = [];
  let next = run;
  for (const agent of run.agents) {
    const question = questionOf(agent);
    if (question === null || !isTimedOut(question, now) || question.late === null) continue;
    const { number, late } = question;
    const gone = continueWith(run, agent, late.state, late.input);
    next = replaceAgent(next, gone);
    events.push({ type: "agent.unanswered", agent: agent.id, state: fullName(gone), number });
  }
  return [next, events];
}

export function isTimedOut({ until }: Pick<Question, "until">, now: number): boolean {
  return until !== null && until <= now;
}

/** Whether all agents are blocked and at least one waits for an answer. */
export function waitsForPerson({ agents }: RunState): boolean {
  const parked = agents.every((agent) => isParked(agent) && agent.opened === null);
  return parked && agents.some((agent) => pendingQuestionOf(agent) !== null);
}

function continueWith(
  run: RunState,
  agent: Agent,
  state: StateName,
  payload: string | null,
): Agent {
  const entered = enter(agent, state, agent.session, payload);
  return { ...entered, readySince: run.totals.attempts };
}

/** The last call of a prompt or visit of a script: a gate has no call. */
function lastCall({ calls, visits }: RunState, agent: Agent): number {
  const counts = stateKind(agent.state) === "prompt" ? calls : visits;
  return Math.max(0, (counts[fullName(agent)] ?? 0) - 1);
}
