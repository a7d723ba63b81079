import { diffLines } from "../../core/line-diff.ts";
import type { StepJson } from "../api.ts";

type Said = Pick<StepJson, "said" | "stdout">;

/** What two steps have said, line by line: `- ` the first, `+ ` the other; null: there is no such step. */
export function textLines(left: Said | null, right: Said | null): readonly string[] {
  const [before, after] = [linesOf(left), linesOf(right)];
  if (before.length + after.length === 0) return ["  Nothing was said."];
  const shown = diffLines(before.slice(0, MOST), after.slice(0, MOST));
  const isWhole = Math.max(before.length, after.length) <= MOST;
  return isWhole ? shown : [...shown, `  … of each the first ${String(MOST)} lines`];
}

/** A diff of so many lines takes some milliseconds, and grows by their square. */
const MOST = 500;

function linesOf(step: Said | null): readonly string[] {
  if (step === null) return [];
  const text = step.said.length > 0 ? step.said.join("\n") : step.stdout;
  return text === "" ? [] : text.trimEnd().split("\n");
}
