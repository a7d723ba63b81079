import { RaymondError } from "../core/errors.ts";
import type { AgentId } from "../core/machine/agent.ts";
import type { Answer } from "../core/machine/answer.ts";
import { shownAnswer } from "../core/machine/question.ts";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import { excerpt } from "../core/protocol/excerpt.ts";
import { localTime } from "../observers/local-time.ts";

/** An answer is given where nobody asks. */
export class NoQuestionError extends RaymondError {
  override readonly name = "NoQuestionError";
  readonly code = "run/no-question";

  /** `run`: null where none was named; `commands` answer what is asked all the same. */
  constructor(run: NamedRun | null, agent: AgentId | undefined, commands: readonly string[]) {
    const look =
      run === null
        ? "`raymond list` shows how the runs stand."
        : `\`raymond status ${run.id}\` shows where it stands.`;
    super(noQuestion(run, agent === undefined ? "" : ` of the agent ${agent}`), {
      hint: commands.length === 0 ? look : `These wait for an answer:\n${commands.join("\n")}`,
    });
  }
}

type NamedRun = Pick<RunState, "id" | "status">;

function noQuestion(run: NamedRun | null, whose: string): string {
  if (run === null) return `No run of this project waits for an answer${whose}.`;
  if (run.status === "completed") return `The run ${run.id} is complete: it asks nothing any more.`;
  return `The run ${run.id} does not wait for an answer${whose}.`;
}

/** An answer could be meant for more than one question. */
export class SeveralQuestionsError extends RaymondError {
  override readonly name = "SeveralQuestionsError";
  readonly code = "run/several-questions";

  constructor(commands: readonly string[]) {
    super(`${String(commands.length)} questions wait for an answer: say which one you mean.`, {
      hint: `Answer one, with your text in place of TEXT:\n${commands.join("\n")}`,
    });
  }
}

/** The answer is none of those that the question has. */
export class NotAnOptionError extends RaymondError {
  override readonly name = "NotAnOptionError";
  readonly code = "run/not-an-option";

  constructor(answer: string, options: readonly string[]) {
    super(`"${excerpt(answer)}" is no answer to this question.`, {
      hint: `Answer with one of: ${options.join(", ")}.`,
    });
  }
}

/** Silence is never an answer. */
export class EmptyAnswerError extends RaymondError {
  override readonly name = "EmptyAnswerError";
  readonly code = "run/empty-answer";

  constructor(agent: AgentId) {
    super(`The answer to ${agent} is empty.`, {
      hint: "Give a text, or - to read standard input.",
    });
  }
}

/** Somebody has answered before. */
export class AnsweredAlreadyError extends RaymondError {
  override readonly name = "AnsweredAlreadyError";
  readonly code = "run/answered";

  constructor(run: RunId, { agent, answer, by, at }: Answer) {
    const { user, host } = by;
    const who = `${user === null ? "Somebody" : user}${host === null ? "" : ` on ${host}`}`;
    super(`${who} has answered ${agent} already, at ${localTime(at)}: ${shownAnswer(answer)}`, {
      hint: `The first answer counts. Where no process runs it, it is taken by raymond --resume ${run}.`,
    });
  }
}

/** The time of a question was over when it was answered. */
export class TooLateError extends RaymondError {
  override readonly name = "TooLateError";
  readonly code = "run/answer-too-late";

  constructor(run: RunId, agent: AgentId, until: number) {
    super(`That is too late: ${agent} has waited for an answer until ${localTime(until)}.`, {
      hint: `It goes on without one; where no process runs it, by raymond --resume ${run}.`,
    });
  }
}

/** What lies where an answer belongs is none. */
export class UnreadableAnswerError extends RaymondError {
  override readonly name = "UnreadableAnswerError";
  readonly code = "run/unreadable-answer";

  constructor(file: string) {
    super(`There is a file in the place of the answer, and no answer in it: ${file}`, {
      hint: "raymond does not write such a file. Remove it, and answer again.",
    });
  }
}
