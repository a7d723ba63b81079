import type { Tested } from "../../author/test.ts";
import { counted } from "../../language/basics/counted.ts";
import { placeText } from "../../language/basics/place.ts";
import { stemOf } from "../../language/workflow/files/state-name.ts";
import { printable } from "../../log/printable.ts";
import { pathFrom } from "../words/words.ts";

type Coverages = Tested["coverage"];
type Coverage = Coverages extends ReadonlyMap<string, infer Value> ? Value : never;
type Part = Coverage["states" | "transitions"];

/** What tests have come through, for people: a line for each workflow, and one for each thing that is missing. */
export function formatCoverage(
  coverages: Coverages,
  { cwd }: { readonly cwd: string },
): readonly string[] {
  return [...coverages].flatMap(([workflow, { states, transitions }]) => {
    const sums = `${sumOf(states, "state")}, ${sumOf(transitions, "declared transition")}`;
    const never = states.missing.map((name) => stemOf(name));
    return [
      `${printable(pathFrom(cwd, workflow))}: ${sums}`,
      ...(never.length === 0 ? [] : [`  never entered: ${printable(never.join(", "))}`]),
      ...transitions.missing.map(({ source, at, words }) =>
        printable(`  never taken: ${placeText(pathFrom(cwd, source), at)}: ${words}`),
      ),
    ];
  });
}

function sumOf(part: Part, noun: string): string {
  const done = part.total - part.missing.length;
  return `${String(done)} of ${counted(part.total, noun)} (${String(percentOf(part))} %)`;
}

/** Rounded down, so that 100 means all. */
function percentOf({ total, missing }: Part): number {
  return total === 0 ? 100 : Math.floor(((total - missing.length) / total) * 100);
}

/** The smaller of the two figures. */
export function leastPercent({ states, transitions }: Coverage): number {
  return Math.min(percentOf(states), percentOf(transitions));
}

/** The same for machines. */
export function coverageJson(coverages: Coverages): object {
  return [...coverages].map(([workflow, { states, transitions }]) => ({
    workflow,
    states: { total: states.total, percent: percentOf(states), missing: states.missing },
    transitions: {
      total: transitions.total,
      percent: percentOf(transitions),
      missing: transitions.missing.map(({ from, source, at, words }) => ({
        from,
        file: source,
        line: at.line,
        column: at.column,
        transition: words,
      })),
    },
  }));
}
