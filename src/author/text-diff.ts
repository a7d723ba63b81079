import { diffLines } from "../language/basics/line-diff.ts";

/** Two texts line by line, as the paths of tests are shown. */
export function diffTexts(recorded: string, now: string): readonly string[] {
  return diffLines(recorded.split("\n"), now.split("\n"));
}
