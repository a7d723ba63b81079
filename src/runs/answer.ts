import { hostname, userInfo } from "node:os";
import { RaymondError } from "../core/errors.ts";
import type { AgentId } from "../core/machine/agent.ts";
import type { Answerer } from "../core/machine/answer.ts";
import { type Question, questionsOf } from "../core/machine/question.ts";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import { chosen } from "../core/protocol/options.ts";
import { trimPayload } from "../core/protocol/payload.ts";
import { resumeAdvice } from "../observers/summary.ts";
import type { Given } from "../ports/answers.ts";
import type { LockHolder, Store } from "../ports/store.ts";
import {
  AnsweredAlreadyError,
  EmptyAnswerError,
  NotAnOptionError,
  TooLateError,
  UnreadableAnswerError,
} from "./answer-errors.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { type Reaction, request } from "./control-requests.ts";
import {
  type FoundQuestion,
  findQuestion,
  questionIn,
  type WantedQuestion,
} from "./find-question.ts";
import type { NamedRun } from "./wire/stores.ts";

/** An answer to a question of a run. */
export interface AnswerOptions extends WantedQuestion {
  readonly text: string;
  /** How it is given; `command` without. */
  readonly via?: Answerer["via"] | undefined;
}

/** What has become of an answer, which is kept in any case. */
export type Answered = {
  readonly id: RunId;
  readonly question: Question;
  /** As it is delivered: an option as it is written. */
  readonly answer: string;
} & (
  | { readonly outcome: "heard"; readonly pid: number }
  /** The process that holds the run has not reacted yet: `next` shows its status. */
  | { readonly outcome: "not-heard"; readonly holder: LockHolder; readonly next: string }
  /** The run is in the queue of its fleet: a worker resumes it. */
  | { readonly outcome: "queued" }
  /** No process drives the run: `next` resumes it. */
  | { readonly outcome: "kept"; readonly next: string }
);

/**
 * Answers a question of a run, held or not. The answer is on disk before anybody
 * is told of it, so none is lost. Rejects with a RaymondError where there is no such
 * question, and where the answer is empty, none of the options, too late, or the second.
 */
export async function answer(
  options: AnswerOptions,
  caller: Caller = thisProcess(),
): Promise<Answered> {
  return give(await findQuestion(options, caller), options, caller);
}

/** The same for a run whose store is known, by whoever sits at its terminal. */
export async function answerHere(
  of: Pick<NamedRun, "id" | "store" | "program">,
  agent: AgentId,
  text: string,
  caller: Caller,
): Promise<Answered> {
  return give(await questionIn(of, agent, caller), { text, via: "terminal" }, caller);
}

async function give(
  { store, run, question, answers, program }: FoundQuestion,
  options: Pick<AnswerOptions, "text" | "via">,
  caller: Caller,
): Promise<Answered> {
  const { id } = run;
  const { agent, number, until } = question;
  const text = fitting(options.text, question);
  const at = caller.now();
  const before =
    until !== null && at > until
      ? ((await answers.find(question)) ?? ({ kind: "closed", at: until } as const))
      : await answers.give({ agent, number, answer: text, by: byMe(options), at });
  if (before !== null) throw refusal(before, id, question);
  const answered = { id, question, answer: text };
  const reaction = await deliver(store, id, question);
  if (reaction === null) {
    if (await isQueued(store, run)) return { ...answered, outcome: "queued" };
    return { ...answered, outcome: "kept", next: resumeAdvice(run, program) ?? "" };
  }
  const { holder } = reaction;
  return reaction.reacted
    ? { ...answered, outcome: "heard", pid: holder.pid }
    : { ...answered, outcome: "not-heard", holder, next: `${program} status ${id}` };
}

/** Whether a worker of its fleet resumes a run that no process holds: one that stopped for its questions is requeued. */
async function isQueued({ remote }: Store, { id, stopReason }: RunState): Promise<boolean> {
  if (remote === undefined) return false;
  if (stopReason?.class !== "question") return (await remote.expected()).has(id);
  return remote.requeue(id).then(
    () => true,
    // The answer is kept in any case.
    (error: unknown) => {
      if (error instanceof RaymondError) return false;
      throw error;
    },
  );
}

/** The answer as it is delivered. */
function fitting(said: string, { options, agent }: Question): string {
  const text = trimPayload(said);
  if (text.trim() === "") throw new EmptyAnswerError(agent);
  if (options === null) return text;
  const option = chosen(options, text);
  if (option === null) throw new NotAnOptionError(text, options);
  return option;
}

function byMe({ via = "command" }: Pick<AnswerOptions, "via">): Answerer {
  return { user: userName(), host: hostname(), via };
}

/** Null where the system has no name for who runs this. */
function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

function refusal(given: Given, id: RunId, { agent }: Question): Error {
  switch (given.kind) {
    case "answer":
      return new AnsweredAlreadyError(id, given);
    case "closed":
      return new TooLateError(id, agent, given.at);
    case "unreadable":
      return new UnreadableAnswerError(given.file);
  }
}

/** Asks the process that holds the run to check for answers. One that cannot be signalled polls. */
function deliver(store: Store, id: RunId, { agent, number }: Question): Promise<Reaction | null> {
  const isAsked = (run: RunState) =>
    questionsOf(run).some((asked) => asked.agent === agent && asked.number === number);
  const reacted = (run: RunState) => !isAsked(run);
  return request(store, id, { look: "answers" }, { reacted, polls: true });
}
