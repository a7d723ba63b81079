import { hostname, userInfo } from "node:os";
import { resumeAdvice } from "../console/summary.ts";
import type { StoredAnswer } from "../engine/ports/answers.ts";
import type { LockHolder } from "../engine/ports/store.ts";
import { RaymondError } from "../language/basics/errors.ts";
import { matchOption } from "../language/protocol/options.ts";
import { trimPayload } from "../language/protocol/payload.ts";
import type { AgentId } from "../machine/agent.ts";
import type { Answerer } from "../machine/move/answer.ts";
import { type Question, questionsOf } from "../machine/move/question.ts";
import type { RunId, RunState } from "../machine/run-state.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import type { RunSource } from "../wire/run-source.ts";
import type { NamedRun } from "../wire/stores.ts";
import { type Reaction, request } from "./control/control-requests.ts";
import { answerErrors } from "./errors.ts";
import {
  type FoundQuestion,
  findQuestion,
  questionIn,
  type WantedQuestion,
} from "./find-question.ts";

export interface AnswerOptions extends WantedQuestion {
  readonly text: string;
  /** Default: `command`. */
  readonly via?: Answerer["via"] | undefined;
}

/** The result of an answer, which is stored in any case. */
export type Answered = {
  readonly id: RunId;
  readonly question: Question;
  /** As it is delivered: the matching option, or the text. */
  readonly answer: string;
} & (
  | { readonly outcome: "heard"; readonly pid: number }
  /** The process that holds the run has not reacted yet: `next` shows its status. */
  | { readonly outcome: "not-heard"; readonly holder: LockHolder; readonly next: string }
  /** A worker resumes the run. */
  | { readonly outcome: "queued" }
  /** No process drives the run: `next` resumes it. */
  | { readonly outcome: "kept"; readonly next: string }
);

/**
 * Answers a question of a run. The answer is on disk before the holder of the run is notified, so
 * it cannot be lost. Rejects with a RaymondError if there is no such question, and for an answer
 * that is empty, late, a second one, or not an option.
 */
export async function answer(
  options: AnswerOptions,
  caller: Caller = thisProcess(),
): Promise<Answered> {
  return give(await findQuestion(options, caller), options, caller);
}

/** An answer at the terminal of the run. */
export async function answerHere(
  of: Pick<NamedRun, "id" | "store" | "program">,
  agent: AgentId,
  text: string,
  caller: Caller,
): Promise<Answered> {
  return give(await questionIn(of, agent), { text, via: "terminal" }, caller);
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
      : await answers.submit({ agent, number, answer: text, by: byMe(options), at });
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

/** Whether a worker resumes a run without a holder. Requeues a run that stopped for its questions. */
async function isQueued({ queue }: RunSource, { id, stopReason }: RunState): Promise<boolean> {
  if (stopReason?.class !== "question") return (await queue.expected()).has(id);
  return queue.requeue(id).catch((error: unknown) => {
    // The answer is kept in any case.
    if (error instanceof RaymondError) return false;
    throw error;
  });
}

function fitting(said: string, { options, agent }: Question): string {
  const text = trimPayload(said);
  if (text.trim() === "") throw answerErrors["run/empty-answer"](agent);
  if (options === null) return text;
  const option = matchOption(options, text);
  if (option === null) throw answerErrors["run/not-an-option"](text, options);
  return option;
}

function byMe({ via = "command" }: Pick<AnswerOptions, "via">): Answerer {
  return { user: userName(), host: hostname(), via };
}

/** Null if the system has no name for the user. */
function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}

function refusal(given: StoredAnswer, id: RunId, { agent }: Question): Error {
  switch (given.kind) {
    case "answer":
      return answerErrors["run/answered"](id, given);
    case "closed":
      return answerErrors["run/answer-too-late"](id, agent, given.at);
    case "unreadable":
      return answerErrors["run/unreadable-answer"](given.file);
  }
}

/** Asks the process that holds the run to check for answers. One that cannot be signalled polls. */
function deliver(
  store: RunSource,
  id: RunId,
  { agent, number }: Question,
): Promise<Reaction | null> {
  const isAsked = (run: RunState) =>
    questionsOf(run).some((asked) => asked.agent === agent && asked.number === number);
  const reacted = (run: RunState) => !isAsked(run);
  return request(store, id, [{ look: "answers" }], { reacted, polls: true });
}
