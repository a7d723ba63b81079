import { diffLines } from "../../../language/basics/line-diff.ts";
import type { StepJson } from "../../api.ts";

type StepTexts = Pick<StepJson, "said" | "stdout">;

/** Line diff of the texts of two steps: `- ` the first, `+ ` the second; null: there is no such step. */
export function textLines(left: StepTexts | null, right: StepTexts | null): readonly string[] {
  const [before, after] = [linesOf(left), linesOf(right)];
  if (before.length + after.length === 0) return ["  No output."];
  const shown = diffLines(before.slice(0, MAX_LINES), after.slice(0, MAX_LINES));
  const isWhole = Math.max(before.length, after.length) <= MAX_LINES;
  return isWhole
    ? shown
    : [...shown, `  … only the first ${String(MAX_LINES)} lines of each are compared`];
}

/** The time of a diff grows with the square of the lines. */
const MAX_LINES = 500;

function linesOf(step: StepTexts | null): readonly string[] {
  if (step === null) return [];
  const text = step.said.length > 0 ? step.said.join("\n") : step.stdout;
  return text === "" ? [] : text.trimEnd().split("\n");
}
