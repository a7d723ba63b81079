import { answerAdvice } from "../console/summary.ts";
import type { Answers } from "../engine/ports/answers.ts";
import type { AgentId } from "../machine/agent.ts";
import { formatQuestion, type Question, questionsOf } from "../machine/move/question.ts";
import type { RunState } from "../machine/run-state.ts";
import type { Caller } from "../wire/caller.ts";
import { programName } from "../wire/program-name.ts";
import type { RunSource } from "../wire/run-source.ts";
import { loadNamed, type NamedRun, nameRun, type Place, runsOf } from "../wire/stores.ts";
import { answerErrors } from "./errors.ts";

/** Default: the only open question of the project. */
export interface WantedQuestion extends Place {
  readonly run?: string | undefined;
  readonly agent?: AgentId | undefined;
  /** Number of the question: an answer to an earlier question is refused. */
  readonly number?: number | undefined;
}

export interface FoundQuestion {
  readonly store: RunSource;
  readonly run: RunState;
  readonly question: Question;
  readonly answers: Answers;
  readonly program: string;
}

interface Asking extends Omit<FoundQuestion, "question"> {
  readonly questions: readonly Question[];
  readonly open: readonly Question[];
}

/**
 * The one matching question. An open question takes precedence over an answered one that waits for
 * a resume. Rejects with a RaymondError if none matches, or several.
 */
export async function findQuestion(wanted: WantedQuestion, caller: Caller): Promise<FoundQuestion> {
  const { run, stateDir } = wanted;
  if (run === undefined) return theOne(await askingIn(wanted, caller), wanted);
  return theOne([await askingOf({ run, stateDir }, caller)], wanted);
}

export async function questionIn(
  { id, store, program }: Pick<NamedRun, "id" | "store" | "program">,
  agent: AgentId,
): Promise<FoundQuestion> {
  const run = await asking(await loadNamed(store, id), store, program);
  return theOne([run], { run: id, agent });
}

function theOne(asking: readonly Asking[], { run, agent, number }: WantedQuestion): FoundQuestion {
  const pick = (of: "open" | "questions") =>
    asking.flatMap((each) =>
      each[of]
        .filter((question) => agent === undefined || question.agent === agent)
        .filter((question) => number === undefined || question.number === number)
        .map((question) => ({ ...each, question })),
    );
  const open = pick("open");
  const [only, other] = open.length > 0 ? open : pick("questions");
  if (only !== undefined && other === undefined) return only;
  const commands = asking.flatMap(commandsOf);
  if (only !== undefined) throw answerErrors["run/several-questions"](commands);
  const named = run === undefined ? null : (asking[0]?.run ?? null);
  throw answerErrors["run/no-question"](named, agent, commands);
}

/** A line for each open question, with the command that answers it. */
function commandsOf({ run, open }: Asking): readonly string[] {
  return open.map((question) => {
    const command = answerAdvice({ id: run.id, questions: open }, question);
    return `${command}  (${question.agent} asks: ${formatQuestion(question)})`;
  });
}

async function askingOf(wanted: { readonly run: string } & Place, caller: Caller): Promise<Asking> {
  const { id, store, program } = await nameRun(wanted, caller);
  return asking(await loadNamed(store, id), store, program);
}

async function askingIn(place: Place, caller: Caller): Promise<readonly Asking[]> {
  const { store } = await runsOf(place, caller);
  const program = programName(place);
  const listed = (await store.list()).filter(({ questions }) => questions.length > 0);
  const runs = await Promise.all(listed.map(({ id }) => store.load(id)));
  return Promise.all(runs.flatMap((run) => (run === undefined ? [] : asking(run, store, program))));
}

async function asking(run: RunState, store: RunSource, program: string): Promise<Asking> {
  const answers = await store.answers(run.id);
  const questions = questionsOf(run);
  const given = await Promise.all(questions.map((question) => answers.find(question)));
  const open = questions.filter((_, index) => given[index] === null);
  return { run, store, answers, program, questions, open };
}
