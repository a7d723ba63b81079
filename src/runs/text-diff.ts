import { diffLines } from "../testing/path-diff.ts";

export { diffLines };

/** Two texts line by line, as the paths of tests are shown. */
export function diffTexts(recorded: string, now: string): readonly string[] {
  return diffLines(recorded.split("\n"), now.split("\n"));
}
