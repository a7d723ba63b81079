import { nearest } from "../language/basics/nearest.ts";

/**
 * The templates of `raymond init`: name → folder of a sample workflow. Its `workflow.yaml`
 * describes it; its tests and scenario are next to it.
 */
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

/** A template, by its name, and the sample workflow that it is. */
export interface Template {
  readonly name: string;
  readonly sample: string;
}

/** All of them, in the order in which they are shown. */
export function templates(): readonly Template[] {
  return [...TEMPLATES].map(([name, sample]) => ({ name, sample }));
}

/** The template of this name, or of this sample workflow; else the name that was probably meant, null where none is near. */
export function findTemplate(wanted: string): Template | { readonly meant: string | null } {
  const known = templates();
  const found = known.find(({ name, sample }) => wanted === name || wanted === sample);
  if (found !== undefined) return found;
  const names = known.map(({ name }) => name);
  const part = names.find((name) => wanted.length > 2 && name.includes(wanted.toLowerCase()));
  return { meant: nearest(wanted, names) ?? part ?? null };
}
