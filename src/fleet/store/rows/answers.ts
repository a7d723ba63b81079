import type { Answers, QuestionKey, StoredAnswer } from "../../../engine/ports/answers.ts";
import type { RunId } from "../../../machine/model/run-state.ts";
import { isTimedOut } from "../../../machine/moves/question.ts";
import { answerContent, closedContent, parseAnswer } from "../../../storage/answer-files.ts";
import { batcher } from "../batcher.ts";
import type { Prepared, Queries } from "../database.ts";

interface RunQuestion extends QuestionKey {
  readonly run: RunId;
}

/** Resolves with the text of an answer; null without one. */
export type AnswerPoll = (question: RunQuestion) => Promise<string | null>;

/** One poll for all runs of a process: it sends as many statements for a thousand runs as for one. */
export function answerPoll(on: Queries): AnswerPoll {
  return batcher(
    async (questions: readonly RunQuestion[]) => {
      const rows = await on.query<RunQuestion & { readonly answer: string }>(POLL, [
        questions.map(({ run }) => run),
        questions.map(({ agent }) => agent),
        questions.map(({ number }) => number),
      ]);
      const answers = new Map(rows.map((row) => [rowName(row), row.answer]));
      return questions.map((question) => answers.get(rowName(question)) ?? null);
    },
    // Steps of the run wait for the poll as well, so the pause is short.
    { pause: { everyMs: 100, afterFailureMs: 1_000 } },
  );
}

const POLL: Prepared = {
  name: "poll_answers",
  text: `SELECT run, agent, number, answer FROM raymond.answers
    JOIN unnest($1::text[], $2::text[], $3::bigint[]) AS question (run, agent, number) USING (run, agent, number)`,
};

/**
 * The answers of a run. A question has at most one row, so the first answer wins. Calls `warn` once if
 * answers cannot be read.
 */
export function answerRows(
  on: Queries,
  run: RunId,
  poll: AnswerPoll,
  warn: (message: string) => void = () => undefined,
): Answers {
  let warned = false;
  const textOf = async ({ agent, number }: QuestionKey): Promise<string | null> => {
    const [row] = await on.query<{ answer: string }>(
      "SELECT answer FROM raymond.answers WHERE run = $1 AND agent = $2 AND number = $3",
      [run, agent, number],
    );
    return row?.answer ?? null;
  };
  const parse = (question: QuestionKey, text: string | null): StoredAnswer | null => {
    if (text === null) return null;
    const file = rowName({ run, ...question });
    return parseAnswer(question, text) ?? { kind: "unreadable", file };
  };
  const insert = async (question: QuestionKey, content: string): Promise<StoredAnswer | null> => {
    const inserted = await on.query(
      "INSERT INTO raymond.answers (run, agent, number, answer) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING 1",
      [run, question.agent, question.number, content],
    );
    if (inserted.length > 0) return null;
    const stored = await textOf(question);
    // After a lost connection it may be this answer.
    return stored === content ? null : parse(question, stored);
  };
  const failed = (error: unknown): null => {
    const reason = error instanceof Error ? error.message : String(error);
    if (!warned) warn(`Cannot read the answers of ${run}: ${reason}. Retrying.`);
    warned = true;
    return null;
  };
  const collectOne = async (question: Parameters<Answers["collect"]>[0][number], now: number) => {
    const found = parse(question, await poll({ run, ...question }));
    if (found !== null || !isTimedOut(question, now)) return found;
    return insert(question, closedContent(question, now));
  };
  return {
    find: async (question) => parse(question, await textOf(question)),
    submit: (answer) => insert(answer, answerContent(answer)),
    collect: async (open, now) => {
      const found = await Promise.all(
        open.map((question) => collectOne(question, now).catch(failed)),
      );
      return found.flatMap((answer) => (answer?.kind === "answer" ? answer : []));
    },
  };
}

function rowName({ run, agent, number }: RunQuestion): string {
  return `raymond.answers (${run}, ${agent}, ${String(number)})`;
}
