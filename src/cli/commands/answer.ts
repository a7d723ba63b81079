import { type Answered, answer } from "../../runs/answer.ts";
import { isRunName } from "../../runs/wire/stores.ts";
import { NoAnswerGivenError } from "../errors.ts";
import { EXIT } from "../exit-codes.ts";
import { answeredWords } from "../outcome-words.ts";
import type { Shell } from "../shell.ts";

interface Given {
  /** Where a text follows, the run that asks; else the text. */
  readonly question?: string;
  readonly text?: string;
  readonly agent?: string;
  readonly resume?: true;
  readonly json?: true;
  readonly stateDir?: string;
}

/**
 * `raymond answer`: a person answers what an agent asks. One word is the text, for
 * the only open question of the project. Returns 0 when the answer is kept; where
 * it goes on with the run, what that returns.
 */
export async function answerCommand(given: Given, shell: Shell): Promise<number> {
  const { agent, resume, json, stateDir } = given;
  const run = given.text === undefined ? undefined : given.question;
  const said = given.text ?? given.question;
  if (said === undefined) throw new NoAnswerGivenError(null);
  if (run === undefined && (await isRunName({ run: said, stateDir }, shell))) {
    throw new NoAnswerGivenError(said);
  }
  const text = said === "-" ? await shell.readStdin() : said;
  const answered = await answer({ run, agent, text, stateDir }, shell);
  const goesOn = resume === true && answered.outcome === "kept";
  if (json === true) shell.out.line(JSON.stringify(answeredJson(answered)));
  else shell.out.line(answeredWords(answered, goesOn));
  if (!goesOn) return EXIT.completed;
  const { resumeCommand } = await import("./resume.ts");
  const options = {
    ...(stateDir !== undefined && { stateDir }),
    ...(json !== undefined && { json }),
    // Where the answer was meant for a run of this project, so is this, whatever the environment says.
    fleet: shell.fleet !== undefined,
  };
  return resumeCommand(answered.id, options, shell);
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
