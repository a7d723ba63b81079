import { parseDuration } from "../duration.ts";
import { fullName } from "../protocol/address.ts";
import { excerpt } from "../protocol/excerpt.ts";
import { readOptions } from "../protocol/options.ts";
import type { StateName, Way } from "../protocol/transition.ts";
import { stateKind } from "../workflow/state-file.ts";
import { type Asked, askedBy, isParked, READY, waitFor } from "./activity.ts";
import type { Agent, AgentId } from "./agent.ts";
import type { Answer } from "./answer.ts";
import { enter } from "./apply-transition.ts";
import type { Advanced, Event } from "./event.ts";
import { replaceAgent } from "./roster.ts";
import type { RunState } from "./run-state.ts";

type Asking = Extract<Way, { tag: "ask" }>;

/** A question that waits for its answer. */
export interface Question extends Asked {
  readonly agent: AgentId;
  /** Epoch ms from which on no answer counts; null: never. */
  readonly until: number | null;
}

/** The question that an agent has asked; null where it waits for none. */
export function questionOf(agent: Agent): Question | null {
  const asked = askedBy(agent);
  if (asked === null || agent.activity.type !== "waiting") return null;
  return { ...asked, agent: agent.id, until: agent.activity.until };
}

/** The questions of a run that are open, in the order of their agents. */
export function questionsOf({ agents }: Pick<RunState, "agents">): readonly Question[] {
  return agents.flatMap((agent) => questionOf(agent) ?? []);
}

/**
 * The agent at the state that the answer leads to, where it waits for it
 * (docs/protocol.md, "Questions"). `call` is that of the step that asks, where it has one.
 */
export function asking(
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
    }),
  };
}

/** A question on one line, with its options: `Ship it? (yes | no)`. */
export function shownQuestion({ question, options }: Pick<Asked, "question" | "options">): string {
  const choices = options === null ? "" : ` (${excerpt(options.join(" | "), MAX_SHOWN)})`;
  return `${excerpt(question.trim(), MAX_SHOWN)}${choices}`;
}

/** An answer on one line: of a whole diff, its beginning. */
export function shownAnswer(answer: string): string {
  return excerpt(answer.trim(), MAX_SHOWN);
}

/** Characters of a question or an answer where it is named on one line. */
const MAX_SHOWN = 200;

/** What is told of a question. */
export function tellQuestion(asked: Question): Event {
  const { agent, from: state, number, question, options, until } = asked;
  return { type: "agent.asked", agent, state, number, question, options, until };
}

/**
 * Lets the agent go on that has asked, with its answer. What answers no open
 * question, or comes after its time, changes nothing: the first answer counts.
 */
export function takeAnswer(run: RunState, given: Answer): Advanced {
  const agent = run.agents.find(({ id }) => id === given.agent);
  const question = agent === undefined ? null : questionOf(agent);
  if (agent === undefined || question?.number !== given.number) return [run, []];
  if (question.until !== null && given.at > question.until) return [run, []];
  const { number, answer, by, at } = given;
  const state = fullName(agent);
  const told: Event = { type: "agent.answered", agent: agent.id, state, number, answer, by, at };
  return [replaceAgent(run, goOn(run, agent, agent.state, answer)), [told]];
}

/** Lets go on whose questions nobody has answered in time. What was answered must have been told before. */
export function endLateQuestions(run: RunState, now: number): Advanced {
  const told: Event[] = [];
  let next = run;
  for (const agent of run.agents) {
    const question = questionOf(agent);
    if (question === null || !isTimeOver(question, now) || question.late === null) continue;
    const { number, late } = question;
    const gone = goOn(run, agent, late.state, late.input);
    next = replaceAgent(next, gone);
    told.push({ type: "agent.unanswered", agent: agent.id, state: fullName(gone), number });
  }
  return [next, told];
}

/** Whether an answer comes too late from now on, epoch ms. */
export function isTimeOver({ until }: Pick<Question, "until">, now: number): boolean {
  return until !== null && until <= now;
}

/** Whether nobody will go on before a person has answered. */
export function waitsForPerson({ agents }: RunState): boolean {
  const parked = agents.every((agent) => isParked(agent) && agent.opened === null);
  return parked && agents.some((agent) => askedBy(agent) !== null);
}

function goOn(run: RunState, agent: Agent, state: StateName, payload: string | null): Agent {
  const entered = enter(agent, state, agent.session, payload);
  return { ...entered, activity: READY, readySince: run.totals.attempts };
}

/** A gate is no call of the state that stands before it, and scripts have only visits. */
function lastCall({ calls, visits }: RunState, agent: Agent): number {
  const counts = stateKind(agent.state) === "prompt" ? calls : visits;
  return Math.max(0, (counts[fullName(agent)] ?? 0) - 1);
}
