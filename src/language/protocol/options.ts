import { excerpt } from "./scan/excerpt.ts";

/** Splits the `options` of a question, `yes|no`, and trims each. */
export function readOptions(written: string): readonly string[] {
  return written.split("|").map((option) => option.trim());
}

/** Why `options` are invalid, as the end of a sentence; null if they are valid. */
export function optionsProblem(written: string): string | null {
  const options = readOptions(written);
  if (options.includes("")) {
    return `must be non-empty choices separated by |, such as yes|no, not "${excerpt(written)}"`;
  }
  const duplicate = options.find(
    (one, index) => matchOption(options.slice(0, index), one) !== null,
  );
  return duplicate === undefined
    ? null
    : `contains "${excerpt(duplicate)}" twice (case is ignored)`;
}

/** The option that an answer selects, ignoring case and surrounding blanks; null if none. */
export function matchOption(options: readonly string[], answer: string): string | null {
  const normalized = answer.trim().toLowerCase();
  return options.find((option) => option.toLowerCase() === normalized) ?? null;
}
