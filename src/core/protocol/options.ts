import { excerpt } from "./excerpt.ts";

/** The choices of a question as its tag writes them, `yes|no`: in that order, without the blanks around them. */
export function readOptions(written: string): readonly string[] {
  return written.split("|").map((option) => option.trim());
}

/** Why a text is no list of choices, as the end of a sentence; `null` where it is one. */
export function optionsProblem(written: string): string | null {
  const options = readOptions(written);
  if (options.includes("")) {
    return `must be choices with | between them, such as yes|no, and none of them empty, and not "${excerpt(written)}"`;
  }
  const twice = options.find((one, index) => chosen(options.slice(0, index), one) !== null);
  return twice === undefined
    ? null
    : `has the choice "${excerpt(twice)}" more than once: upper and lower case are the same`;
}

/** The option that an answer means, as it is written, without regard to case and to blanks at the ends; `null` for none. */
export function chosen(options: readonly string[], answer: string): string | null {
  const wanted = answer.trim().toLowerCase();
  return options.find((option) => option.toLowerCase() === wanted) ?? null;
}
