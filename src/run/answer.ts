import { answerAdvice, resumeAdvice } from "../console/summary.ts";
import type { Answers, StoredAnswer } from "../engine/ports/answers.ts";
import type { LockHolder } from "../engine/ports/store.ts";
import { RaymondError } from "../language/basics/errors.ts";
import { matchOption } from "../language/protocol/options.ts";
import { trimPayload } from "../language/protocol/payload.ts";
import type { Actor } from "../machine/model/actor.ts";
import type { AgentId } from "../machine/model/agent.ts";
import type { RunId, RunState } from "../machine/model/run-state.ts";
import { formatQuestion, type Question, questionsOf } from "../machine/moves/question.ts";
import type { Caller } from "../wire/caller.ts";
import { openSecrets } from "../wire/engine/open-secrets.ts";
import { programName } from "../wire/program-name.ts";
import type { RunSource } from "../wire/run-source.ts";
import { loadNamed, type NamedRun, nameRun, type Place, runsOf } from "../wire/stores.ts";
import { request } from "./control/control-requests.ts";
import { answerErrors } from "./errors.ts";

/** An answer. Without a run and an agent: to the only open question of the project. */
export interface AnswerOptions extends Place {
  readonly run?: string | undefined;
  readonly agent?: AgentId | undefined;
  /** Number of the question: an answer to an earlier question is refused. */
  readonly number?: number | undefined;
  readonly text: string;
  readonly via?: Actor["via"] | undefined;
}

/** The result of an answer, which is stored in any case. */
export type Answered = {
  readonly id: RunId;
  readonly question: Question;
  /** As it is delivered: the matching option, or the text. */
  readonly answer: string;
} & (
  | { readonly outcome: "received"; readonly pid: number }
  /** The process that holds the run has not reacted yet: `next` shows its status. */
  | { readonly outcome: "not-received"; readonly holder: LockHolder; readonly next: string }
  /** A worker resumes the run. */
  | { readonly outcome: "queued" }
  /** No process drives the run: `next` resumes it. */
  | { readonly outcome: "kept"; readonly next: string }
);

type RunPlace = Pick<NamedRun, "id" | "store" | "program">;

/**
 * Answers a question of a run. The answer is on disk before the holder of the run is notified, so
 * it cannot be lost. Rejects with a RaymondError if there is no such question, and for an answer
 * that is empty, late, a second one, or not an option. An open question takes precedence over an
 * answered one that waits for a resume.
 */
export async function answer(options: AnswerOptions, caller: Caller): Promise<Answered> {
  const { run, stateDir } = options;
  const asking =
    run === undefined
      ? await runsWithQuestions(options, caller)
      : [await questionsIn(await nameRun({ run, stateDir }, caller))];
  return submit(pick(asking, options), options, caller);
}

/** An answer at the terminal of the run. */
export async function answerHere(
  of: RunPlace,
  agent: AgentId,
  text: string,
  caller: Caller,
): Promise<Answered> {
  const found = pick([await questionsIn(of)], { run: of.id, agent });
  return submit(found, { text, via: "terminal" }, caller);
}

interface RunQuestions extends RunPlace {
  readonly run: RunState;
  readonly answers: Answers;
  readonly questions: readonly Question[];
  readonly open: readonly Question[];
}

async function runsWithQuestions(place: Place, caller: Caller): Promise<readonly RunQuestions[]> {
  const { store } = await runsOf(place, caller);
  const program = programName(place);
  const listed = (await store.list()).filter(({ questions }) => questions.length > 0);
  const runs = await Promise.all(listed.map(({ id }) => store.load(id)));
  const found = runs.filter((run) => run !== undefined);
  return Promise.all(found.map((run) => questionsIn({ id: run.id, store, program }, run)));
}

async function questionsIn({ id, store, program }: RunPlace, known?: RunState) {
  const run = known ?? (await loadNamed(store, id));
  const answers = await store.answers(id);
  const questions = questionsOf(run);
  const stored = await Promise.all(questions.map((question) => answers.find(question)));
  const open = questions.filter((_, index) => stored[index] === null);
  return { id, store, program, run, answers, questions, open };
}

interface FoundQuestion extends RunQuestions {
  readonly question: Question;
}

function pick(
  asking: readonly RunQuestions[],
  { run, agent, number }: Pick<AnswerOptions, "run" | "agent" | "number">,
): FoundQuestion {
  const matching = (of: "open" | "questions") =>
    asking.flatMap((each) =>
      each[of]
        .filter((question) => agent === undefined || question.agent === agent)
        .filter((question) => number === undefined || question.number === number)
        .map((question) => ({ ...each, question })),
    );
  const open = matching("open");
  const [only, other] = open.length > 0 ? open : matching("questions");
  if (only !== undefined && other === undefined) return only;
  const commands = asking.flatMap(commandsOf);
  if (only !== undefined) throw answerErrors["run/several-questions"](commands);
  const named = run === undefined ? null : (asking[0]?.run ?? null);
  throw answerErrors["run/no-question"](named, agent, commands);
}

/** A line for each open question, with the command that answers it. */
function commandsOf({ id, open }: RunQuestions): readonly string[] {
  return open.map((question) => {
    const command = answerAdvice({ id, questions: open }, question);
    return `${command}  (${question.agent} asks: ${formatQuestion(question)})`;
  });
}

async function submit(
  { id, store, run, question, answers, program }: FoundQuestion,
  { text, via }: Pick<AnswerOptions, "text" | "via">,
  caller: Caller,
): Promise<Answered> {
  const { agent, number, until } = question;
  const clean = openSecrets(run.settings, caller).text(text);
  const valid = validAnswer(clean, question);
  const at = caller.now();
  const actor = caller.actor();
  const by = { ...actor, via: via ?? actor.via };
  await store.audit(id, "answer", by);
  const earlier =
    until !== null && at > until
      ? ((await answers.find(question)) ?? ({ kind: "closed", at: until } as const))
      : await answers.submit({ agent, number, answer: valid, by, at });
  if (earlier !== null) throw refusal(earlier, id, question);
  const answered = { id, question, answer: valid };
  const reacted = (now: RunState) =>
    !questionsOf(now).some((asked) => asked.agent === agent && asked.number === number);
  // A holder that cannot be signalled polls.
  const reaction = await request(store, id, [{ look: "answers" }], { reacted, polls: true });
  if (reaction === null) {
    if (await isQueued(store, run)) return { ...answered, outcome: "queued" };
    return { ...answered, outcome: "kept", next: resumeAdvice(run, program) ?? "" };
  }
  const { holder } = reaction;
  return reaction.reacted
    ? { ...answered, outcome: "received", pid: holder.pid }
    : { ...answered, outcome: "not-received", holder, next: `${program} status ${id}` };
}

/** Whether a worker resumes a run without a holder. Requeues a run that stopped for its questions. */
async function isQueued({ queue }: RunSource, { id, stopReason }: RunState): Promise<boolean> {
  if (stopReason?.class !== "question") return (await queue.expected()).has(id);
  return queue.requeue(id).catch((error: unknown) => {
    // The answer is stored in any case.
    if (error instanceof RaymondError) return false;
    throw error;
  });
}

function validAnswer(written: string, { options, agent }: Question): string {
  const text = trimPayload(written);
  if (text.trim() === "") throw answerErrors["run/empty-answer"](agent);
  if (options === null) return text;
  const option = matchOption(options, text);
  if (option === null) throw answerErrors["run/not-an-option"](text, options);
  return option;
}

function refusal(stored: StoredAnswer, id: RunId, { agent }: Question): Error {
  switch (stored.kind) {
    case "answer":
      return answerErrors["run/answered"](id, stored);
    case "closed":
      return answerErrors["run/answer-too-late"](id, agent, stored.at);
    case "unreadable":
      return answerErrors["run/unreadable-answer"](stored.file);
  }
}
