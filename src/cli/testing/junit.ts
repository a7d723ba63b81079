import type { TestedFile, TestResult } from "../../author/test.ts";
import { placeText } from "../../language/basics/place.ts";

/** `raymond test --format junit`: XML for CI services. */
export function testsJunit(files: readonly TestedFile[]): string {
  const suites = files.map(({ file, results }) => {
    const cases = results.map((result) => testCase(result, file));
    return [
      `  <testsuite${countsOf(results)} name="${escaped(file)}">`,
      ...cases,
      "  </testsuite>",
    ];
  });
  const all = files.flatMap(({ results }) => results);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${countsOf(all)} name="raymond">`,
    ...suites.flat(),
    "</testsuites>",
    "",
  ].join("\n");
}

function countsOf(results: readonly TestResult[]): string {
  const failed = results.filter(({ mismatches }) => mismatches.length > 0).length;
  const time = results.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return ` tests="${String(results.length)}" failures="${String(failed)}" time="${seconds(time)}"`;
}

function testCase({ test, mismatches, durationMs }: TestResult, file: string): string {
  const head = `    <testcase name="${escaped(test.name)}" classname="${escaped(file)}" time="${seconds(durationMs)}"`;
  const [first] = mismatches;
  if (first === undefined) return `${head}/>`;
  const text = mismatches.flatMap(({ at, message, lines }) => [
    `${placeText(file, at)}: ${message}`,
    ...lines.map((line) => `  ${line}`),
  ]);
  const failure = `<failure message="${escaped(first.message)}">${escaped(text.join("\n"))}</failure>`;
  return `${head}>\n      ${failure}\n    </testcase>`;
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** Escapes for text and attributes. Characters that XML does not allow are replaced. */
function escaped(text: string): string {
  return text.replace(FORBIDDEN, allowed).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Includes the C1 controls, which XML 1.0 allows in part. */
const FORBIDDEN = /[\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu;

function allowed(character: string): string {
  return /[\t\n\r]/.test(character) ? character : "\uFFFD";
}
