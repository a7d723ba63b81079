import { nearest } from "../language/basics/nearest.ts";

/** Template name → folder of a sample workflow, with its description, tests and scenario. */
const TEMPLATES: ReadonlyMap<string, string> = new Map([
  ["plan-build-review", "plan-then-implement"],
  ["ralph", "ralph"],
  ["fix-until-green", "review-gate"],
  ["map-and-merge", "map-and-merge"],
  ["pull-request-review", "pull-request-review"],
  ["poll-and-process", "poll-and-process"],
  ["nightly-question", "nightly-question"],
  ["nightly", "nightly"],
  ["evaluator", "evaluator"],
  ["fork-workers", "fork-workers"],
]);

export interface Template {
  readonly name: string;
  readonly sample: string;
}

/** In display order. */
export function templates(): readonly Template[] {
  return [...TEMPLATES].map(([name, sample]) => ({ name, sample }));
}

/** Finds a template by its name or sample folder. `meant`: the nearest name, or null. */
export function findTemplate(wanted: string): Template | { readonly meant: string | null } {
  const known = templates();
  const found = known.find(({ name, sample }) => wanted === name || wanted === sample);
  if (found !== undefined) return found;
  const names = known.map(({ name }) => name);
  const part = names.find((name) => wanted.length > 2 && name.includes(wanted.toLowerCase()));
  return { meant: nearest(wanted, names) ?? part ?? null };
}
