import type { Tested, TestResult } from "../../author/test.ts";
import { toUsd } from "../../language/basics/money.ts";
import { spent } from "../../machine/run-state.ts";
import { coverageJson } from "./coverage.ts";

/** What `raymond test --json` prints: one object. */
export function testsJson({ files, coverage }: Tested): object {
  const results = files.flatMap((file) => file.results);
  const failed = results.filter(({ mismatches }) => mismatches.length > 0).length;
  return {
    ok: failed === 0,
    passed: results.length - failed,
    failed,
    tests: results.map(testJson),
    ...(coverage.size === 0 ? {} : { coverage: coverageJson(coverage) }),
  };
}

function testJson({ test, mismatches, happened, durationMs }: TestResult): object {
  const { file, name, at } = test;
  return {
    file,
    line: at.line,
    name,
    ok: mismatches.length === 0,
    duration_ms: Math.round(durationMs),
    status: happened?.run.status ?? null,
    cost_usd: happened === null ? null : toUsd(spent(happened.run)),
    problems: mismatches.map(({ at: place, message, lines }) => ({
      line: place.line,
      column: place.column,
      message,
      lines,
    })),
  };
}
