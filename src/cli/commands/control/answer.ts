import type { Command } from "commander";
import { type Answered, answer } from "../../../run/answer.ts";
import { isRunName } from "../../../wire/stores.ts";
import { actionOnRuns, JSON_OBJECT, runSelection } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { cliErrors } from "../../words/errors.ts";
import { EXIT } from "../../words/exit-codes.ts";
import { answeredWords } from "../../words/outcome-words.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("[question]", "Run with the question (default: the only open question)")
    .argument("[text]", "The answer; - reads standard input")
    .option("--agent <agent>", "Agent that asks, if several agents of the run do")
    .option("--resume", "Resume the run if no process is running it")
    .option(...JSON_OBJECT);
  runSelection(command).action(actionOnRuns(shell, answerCommand));
}

interface AnswerOptions {
  /** The run if a text follows, else the text. */
  readonly question?: string | undefined;
  readonly text?: string | undefined;
  readonly agent?: string;
  readonly resume?: true;
  readonly json?: true;
  readonly stateDir?: string;
}

/** Returns 0 if the answer was saved, and with `--resume` the exit code of the run. */
export async function answerCommand(options: AnswerOptions, shell: Shell): Promise<number> {
  const { agent, resume, json, stateDir } = options;
  const run = options.text === undefined ? undefined : options.question;
  const word = options.text ?? options.question;
  if (word === undefined) throw cliErrors["cli/no-answer-given"](null);
  if (run === undefined && (await isRunName({ run: word, stateDir }, shell))) {
    throw cliErrors["cli/no-answer-given"](word);
  }
  const text = word === "-" ? await shell.readStdin() : word;
  const answered = await answer({ run, agent, text, stateDir }, shell);
  const resumes = resume === true && answered.outcome === "kept";
  if (json === true) shell.out.line(JSON.stringify(answeredJson(answered)));
  else shell.out.line(answeredWords(answered, resumes));
  if (!resumes) return EXIT.completed;
  const { resumeCommand } = await import("../run/resume.ts");
  const resumeOptions = {
    ...(stateDir !== undefined && { stateDir }),
    ...(json !== undefined && { json }),
    // The same runs as for the answer, whatever the environment says.
    fleet: shell.fleet !== undefined,
  };
  return resumeCommand(answered.id, resumeOptions, shell);
}

function answeredJson(answered: Answered): object {
  const { id, question, answer: text, outcome } = answered;
  return {
    workflow_id: id,
    agent: question.agent,
    number: question.number,
    question: question.question,
    answer: text,
    outcome: outcome.replace("-", "_"),
    next: outcome === "kept" ? answered.next : null,
  };
}
