import { nearest } from "../language/basics/nearest.ts";

/** `sample`: folder of a sample workflow, with its description, tests and scenario. */
export interface Template {
  readonly name: string;
  readonly sample: string;
}

/** In display order. */
export const TEMPLATES: readonly Template[] = [
  { name: "plan-build-review", sample: "plan-then-implement" },
  { name: "ralph", sample: "ralph" },
  { name: "fix-until-green", sample: "review-gate" },
  { name: "map-and-merge", sample: "map-and-merge" },
  { name: "parallel-worktrees", sample: "parallel-worktrees" },
  { name: "pull-request-review", sample: "pull-request-review" },
  { name: "poll-and-process", sample: "poll-and-process" },
  { name: "nightly-question", sample: "nightly-question" },
  { name: "nightly", sample: "nightly" },
  { name: "evaluator", sample: "evaluator" },
  { name: "fork-workers", sample: "fork-workers" },
];

/** Finds a template by its name or sample folder. `meant`: the nearest name, or null. */
export function findTemplate(wanted: string): Template | { readonly meant: string | null } {
  const found = TEMPLATES.find(({ name, sample }) => wanted === name || wanted === sample);
  if (found !== undefined) return found;
  const names = TEMPLATES.map(({ name }) => name);
  const part = names.find((name) => wanted.length > 2 && name.includes(wanted.toLowerCase()));
  return { meant: nearest(wanted, names) ?? part ?? null };
}
