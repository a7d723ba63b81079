import type { Answers } from "../../engine/ports/answers.ts";
import { matchOption } from "../../language/protocol/options.ts";
import type { Answer } from "../../machine/move/answer.ts";
import type { Question } from "../../machine/move/question.ts";
import { answerAt, type Simulation } from "./script.ts";

/**
 * The answers of a simulation: those of persons, and for questions that have none
 * what the file says, at once. `warn` is told of one that is none of its options.
 */
export function simulatedAnswers(
  simulation: Simulation,
  persons: Pick<Answers, "collect">,
  warn: (message: string) => void,
): Pick<Answers, "collect"> {
  const warned = new Set<number>();
  return {
    async collect(open, now) {
      const given = await persons.collect(open, now);
      const rest = open.filter(({ number }) => !given.some((each) => each.number === number));
      const scripted = rest.flatMap((question): readonly Answer[] => {
        const said = answerAt(simulation, question);
        if (said === null) return [];
        const answer = fitting(question, said);
        const { agent, number } = question;
        if (answer !== null) return [{ agent, number, answer, by: SIMULATED, at: now }];
        if (!warned.has(number)) warn(unfit(simulation, question, said));
        warned.add(number);
        return [];
      });
      return [...given, ...scripted];
    },
  };
}

/** Who answers what a file says. */
export const SIMULATED = { user: null, host: null, via: "file" } as const;

/** The answer as it is delivered; null where it is none of the options. */
export function fitting({ options }: Pick<Question, "options">, said: string): string | null {
  return options === null ? said : matchOption(options, said);
}

function unfit({ file }: Simulation, { from, options }: Question, said: string): string {
  return `${file} answers "${said}" to ${from}, which takes ${(options ?? []).join(", ")}.`;
}
