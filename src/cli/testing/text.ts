import type { Tested, TestedFile, TestResult } from "../../author/test.ts";
import type { Style } from "../../console/style.ts";
import { counted } from "../../language/basics/counted.ts";
import { placeText } from "../../language/basics/place.ts";
import { stemOf } from "../../language/workflow/files/state-name.ts";
import { printable } from "../../log/printable.ts";
import { pathFrom } from "../words/words.ts";

/** The results of tests: a line for each file whose tests pass, and the details of failed tests. */
export function formatTests(
  files: readonly TestedFile[],
  { cwd, style }: { readonly cwd: string; readonly style: Style },
): readonly string[] {
  return files.flatMap(({ file, results }) => {
    const failed = results.filter(({ mismatches }) => mismatches.length > 0);
    const name = printable(pathFrom(cwd, file));
    const passed = counted(results.length - failed.length, "test");
    return [
      ...(failed.length === results.length ? [] : [`${style.good("ok")}    ${name}: ${passed}`]),
      ...failed.flatMap((result) => formatFailure(result, name, style)),
    ];
  });
}

function formatFailure(
  { test, mismatches }: TestResult,
  file: string,
  style: Style,
): readonly string[] {
  const head = `${style.error("FAIL")}  ${placeText(file, test.at)}: ${printable(test.name)}`;
  return [
    head,
    ...mismatches.flatMap(({ at, message, lines }) => [
      `  ${placeText(file, at)}: ${printable(message)}`,
      ...lines.map((line) => `    ${inColour(printable(line), style)}`),
    ]),
  ];
}

/** Colors a line of a diff: `-` expected or recorded, `+` now. */
export function inColour(line: string, style: Style): string {
  if (/^ *- /.test(line)) return style.error(line);
  return /^ *\+ /.test(line) ? style.good(line) : line;
}

export function formatSum(results: readonly TestResult[], durationMs: number): string {
  const failed = results.filter(({ mismatches }) => mismatches.length > 0).length;
  const passed = results.length - failed;
  const seconds = (durationMs / 1000).toFixed(1);
  return `${counted(passed, "test")} passed, ${String(failed)} failed, in ${seconds} s.`;
}

type Coverages = Tested["coverage"];
type Coverage = Coverages extends ReadonlyMap<string, infer Value> ? Value : never;
type Part = Coverage["states" | "transitions"];

/** The coverage of tests: a line for each workflow, and one for each state and transition that is missing. */
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

export function leastPercent({ states, transitions }: Coverage): number {
  return Math.min(percentOf(states), percentOf(transitions));
}

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
