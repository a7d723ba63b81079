import type { Answers } from "../../engine/ports/answers.ts";
import { matchOption } from "../../language/protocol/options.ts";
import type { Answer } from "../../machine/model/answer.ts";
import type { Question } from "../../machine/moves/question.ts";
import type { Simulation } from "./scenario.ts";
import { answerAt } from "./script.ts";

/**
 * The answers in a simulated run: those of users, and those of the file for all other questions. `warn` is called for an
 * answer of the file that is not one of the options.
 */
export function simulatedAnswers(
  simulation: Simulation,
  users: Pick<Answers, "collect">,
  warn: (message: string) => void,
): Pick<Answers, "collect"> {
  const warned = new Set<number>();
  return {
    async collect(open, now) {
      const answered = await users.collect(open, now);
      const rest = open.filter(({ number }) => !answered.some((each) => each.number === number));
      const scripted = rest.flatMap((question): readonly Answer[] => {
        const said = answerAt(simulation, question);
        if (said === null) return [];
        const answer = matchingAnswer(question, said);
        const { agent, number } = question;
        if (answer !== null) return [{ agent, number, answer, by: SIMULATED, at: now }];
        if (!warned.has(number)) warn(mismatch(simulation, question, said));
        warned.add(number);
        return [];
      });
      return [...answered, ...scripted];
    },
  };
}

/** The author of the answers in a file. */
export const SIMULATED = { user: null, host: null, via: "file" } as const;

/** The answer in the spelling of its option; null if it is not one of the options. */
export function matchingAnswer(
  { options }: Pick<Question, "options">,
  said: string,
): string | null {
  return options === null ? said : matchOption(options, said);
}

function mismatch({ file }: Simulation, { from, options }: Question, said: string): string {
  return `${file} answers "${said}" to ${from}, which takes ${(options ?? []).join(", ")}.`;
}
