import type { Answers, QuestionKey, StoredAnswer } from "../../../engine/ports/answers.ts";
import { isTimedOut } from "../../../machine/move/question.ts";
import type { RunId } from "../../../machine/run-state.ts";
import {
  answerContent,
  closedContent,
  parseAnswer,
} from "../../../storage/codec/answer-content.ts";
import { batchedPoll } from "../batched-poll.ts";
import type { Prepared, Queries } from "../database.ts";

/** A question of a run. */
interface AskedOf extends QuestionKey {
  readonly run: RunId;
}

/** Finds the text of an answer; null where no person has answered. */
export type AnswerPoll = (asked: AskedOf) => Promise<string | null>;

/** One for all runs of a process: a worker with a thousand runs that ask sends as many statements as one with one. */
export function answerPoll(on: Queries): AnswerPoll {
  const ask = async (asked: readonly AskedOf[]) => {
    const rows = await on.query<AskedOf & { readonly answer: string }>(POLL, [
      asked.map(({ run }) => run),
      asked.map(({ agent }) => agent),
      asked.map(({ number }) => number),
    ]);
    return new Map(rows.map((row) => [nameOf(row), row.answer]));
  };
  return batchedPoll(ask, nameOf, POLLS);
}

const nameOf = ({ run, agent, number }: AskedOf) => JSON.stringify([run, agent, number]);

/** A run that steps beside its question waits for the poll as well, so the pause is short. */
const POLLS = { everyMs: 100, restMs: 1_000 };

const POLL: Prepared = {
  name: "poll_answers",
  text: `SELECT run, agent, number, answer FROM raymond.answers
    JOIN unnest($1::text[], $2::text[], $3::bigint[]) AS asked (run, agent, number) USING (run, agent, number)`,
};

/**
 * The answers of a run in its fleet: a row is the only answer to its question, as a
 * file is without one (`answer-files.ts`), and who writes it first has answered.
 * `warn` is told once where they cannot be read.
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
  const given = (asked: QuestionKey, text: string | null): StoredAnswer | null => {
    if (text === null) return null;
    return parseAnswer(asked, text) ?? { kind: "unreadable", file: rowName(run, asked) };
  };
  const find = async (asked: QuestionKey) => given(asked, await textOf(asked));
  const place = async (asked: QuestionKey, content: string): Promise<StoredAnswer | null> => {
    const made = await on.query(
      "INSERT INTO raymond.answers (run, agent, number, answer) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING RETURNING 1",
      [run, asked.agent, asked.number, content],
    );
    if (made.length > 0) return null;
    const there = await textOf(asked);
    // It may be this very one, where the connection was lost when it was written.
    return there === content ? null : given(asked, there);
  };
  const failed = (error: unknown): null => {
    const reason = error instanceof Error ? error.message : String(error);
    if (!warned) warn(`Cannot read the answers of ${run}: ${reason}. Retrying.`);
    warned = true;
    return null;
  };
  return {
    find,
    submit: (answer) => place(answer, answerContent(answer)),
    collect: async (open, now) => {
      const looked = open.map(async (asked) => {
        const found = given(asked, await poll({ run, ...asked }));
        if (found !== null || !isTimedOut(asked, now)) return found;
        return place(asked, closedContent(asked, now));
      });
      const found = await Promise.all(looked.map((look) => look.catch(failed)));
      return found.flatMap((given) => (given?.kind === "answer" ? given : []));
    },
  };
}

function rowName(run: RunId, { agent, number }: QuestionKey): string {
  return `raymond.answers (${run}, ${agent}, ${String(number)})`;
}
