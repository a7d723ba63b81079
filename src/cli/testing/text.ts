import type { TestedFile, TestResult } from "../../author/test.ts";
import type { Style } from "../../console/style.ts";
import { counted } from "../../language/basics/counted.ts";
import { placeText } from "../../language/basics/place.ts";
import { printable } from "../../log/printable.ts";
import { pathFrom } from "../words/words.ts";

/** Tests for people: a line for each file whose tests pass, and all that is known of each other one. */
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

/** A line of a diff: what was expected, or recorded, and what is instead. */
export function inColour(line: string, style: Style): string {
  if (/^ *- /.test(line)) return style.error(line);
  return /^ *\+ /.test(line) ? style.good(line) : line;
}

/** How it went, in one line. */
export function formatSum(results: readonly TestResult[], durationMs: number): string {
  const failed = results.filter(({ mismatches }) => mismatches.length > 0).length;
  const passed = results.length - failed;
  const seconds = (durationMs / 1000).toFixed(1);
  return `${counted(passed, "test")} passed, ${String(failed)} failed, in ${seconds} s.`;
}
