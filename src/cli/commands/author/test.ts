import { type Command, Option } from "commander";
import { type Tested, type TestResult, test, testFiles } from "../../../author/test.ts";
import { testFromRun } from "../../../author/test-from-run.ts";
import { BadFlagError } from "../../../config/errors.ts";
import { RaymondError } from "../../../language/basics/errors.ts";
import { toUsd } from "../../../language/basics/money.ts";
import { spent } from "../../../machine/model/run-state.ts";
import { watchWorkflows } from "../../../wire/engine/watch.ts";
import { printJson } from "../../output.ts";
import { action, localRunSelection, notEmptyEach } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { testsJunit } from "../../testing/junit.ts";
import {
  coverageJson,
  formatCoverage,
  formatSum,
  formatTests,
  leastPercent,
} from "../../testing/text.ts";
import { EXIT, type ExitCode, exitCodeOfRun } from "../../words/exit-codes.ts";
import { reportError } from "../../words/report-error.ts";
import { pathFrom } from "../../words/words.ts";
import { refuseFleet, type WhichRuns } from "../fleet/in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument(
      "[paths...]",
      "Folders, workflows or test files (default: current folder)",
      notEmptyEach,
    )
    .option("--run-scripts", "Run scripts for which a test gives no output")
    .option("--watch", "Run the tests again after every change of a file")
    .option("--update", "Update failed expectations in the test files")
    .option("--coverage [percent]", "Show coverage; fail below PERCENT")
    .addOption(new Option("--format <format>", "Output format (default: text)").choices(FORMATS))
    .option("--json", "Same as --format json")
    .option("--from-run <run>", "Write a test from this run, and run no tests")
    .option("-o, --output <path>", "With --from-run: test file (default: next to the workflow)");
  localRunSelection(command).action(
    action(shell, (options: TestOptions & WhichRuns) => {
      if (options.fromRun !== undefined) refuseFleet("test", NOT_IN_FLEET, options, shell);
      return testCommand(options, shell);
    }),
  );
}

const NOT_IN_FLEET =
  "A test is stored next to its workflow, and a fleet only has copies of workflows. Run the workflow here with: raymond WORKFLOW";

const FORMATS = ["text", "json", "junit"] as const;
type Format = (typeof FORMATS)[number];

interface TestOptions {
  readonly paths: readonly string[];
  readonly runScripts?: true;
  readonly update?: true;
  readonly watch?: true;
  readonly coverage?: string | true;
  readonly format?: Format;
  readonly json?: true;
  readonly fromRun?: string;
  readonly output?: string;
  readonly stateDir?: string;
}

/** Returns 1 if a test fails, or coverage is too low. */
export async function testCommand(options: TestOptions, shell: Shell): Promise<ExitCode> {
  if (options.fromRun !== undefined) return record(options.fromRun, options, shell);
  refuseAlone(options);
  const format = options.format ?? (options.json === true ? "json" : "text");
  const least = leastOf(options);
  const { paths, runScripts, update } = options;
  const wanted = { paths, runScripts, update, coverage: least !== null, exitCodeOf: exitCodeOfRun };
  const runTests = () => testOnce(wanted, format, least, shell);
  if (options.watch !== true) return runTests();
  await watchWorkflows(await testFiles(paths, shell), shell, async () => {
    await runTests().catch((error: unknown) => {
      // A file may be half written. The next change runs the tests again.
      if (!(error instanceof RaymondError)) throw error;
      reportError(error, shell.err.line, shell.style);
    });
  });
  return EXIT.completed;
}

async function testOnce(
  wanted: Parameters<typeof test>[0],
  format: Format,
  least: number | null,
  shell: Shell,
): Promise<ExitCode> {
  const began = performance.now();
  const tested = await test(wanted, shell);
  for (const file of tested.updated) shell.err.line(`Updated ${pathFrom(shell.cwd, file)}.`);
  print(tested, format, performance.now() - began, shell);
  const lacking = [...tested.coverage].filter(([, of]) => leastPercent(of) < (least ?? 0));
  for (const [workflow] of lacking) {
    const name = pathFrom(shell.cwd, workflow);
    shell.err.line(`The tests of ${name} cover less than ${String(least)} %.`);
  }
  const failed = tested.files.some(({ results }) =>
    results.some(({ mismatches }) => mismatches.length > 0),
  );
  return failed || lacking.length > 0 ? EXIT.failed : EXIT.completed;
}

/** Required coverage in percent. Null: coverage is not wanted. */
function leastOf({ coverage }: TestOptions): number | null {
  if (coverage === undefined) return null;
  if (coverage === true) return 0;
  const percent = Number(coverage);
  if (/^\d{1,3}$/.test(coverage) && percent <= 100) return percent;
  throw new BadFlagError("--coverage", coverage, "a percentage from 0 to 100; put paths before it");
}

async function record(run: string, options: TestOptions, shell: Shell): Promise<ExitCode> {
  const { output, stateDir, json, paths } = options;
  if (paths.length > 0)
    throw new BadFlagError("--from-run", run, "a run, and cannot be combined with paths");
  const written = await testFromRun({ run, output, stateDir, exitCodeOf: exitCodeOfRun }, shell);
  if (json === true) printJson(shell.out, written);
  else
    shell.out.line(
      `Wrote ${pathFrom(shell.cwd, written.file)} from ${written.run}. The test passes.`,
    );
  return EXIT.completed;
}

/** Options of `--from-run` without it. */
function refuseAlone({ output, stateDir }: TestOptions): void {
  const expects = "a value only with --from-run";
  if (output !== undefined) throw new BadFlagError("--output", output, expects);
  if (stateDir !== undefined) throw new BadFlagError("--state-dir", stateDir, expects);
}

function print(tested: Tested, format: Format, durationMs: number, shell: Shell): void {
  switch (format) {
    case "json":
      printJson(shell.out, testsJson(tested));
      return;
    case "junit":
      shell.out.write(testsJunit(tested.files));
      return;
    case "text": {
      for (const line of formatTests(tested.files, shell)) shell.out.line(line);
      for (const line of formatCoverage(tested.coverage, shell)) shell.out.line(line);
      const results = tested.files.flatMap((file) => file.results);
      shell.err.line(formatSum(results, durationMs));
    }
  }
}

function testsJson({ files, coverage }: Tested): object {
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
