import { BadFlagError } from "../../config/errors.ts";
import { RaymondError } from "../../core/errors.ts";
import { type Tested, test, testFiles } from "../../runs/test.ts";
import { testFromRun } from "../../runs/test-from-run.ts";
import { watchWorkflows } from "../../runs/wire/watch.ts";
import { EXIT, type ExitCode, exitCodeOfRun } from "../exit-codes.ts";
import { printJson } from "../output.ts";
import { reportError } from "../report-error.ts";
import type { Shell } from "../shell.ts";
import { formatCoverage, leastPercent } from "../testing/coverage.ts";
import { testsJson } from "../testing/json.ts";
import { testsJunit } from "../testing/junit.ts";
import { formatSum, formatTests } from "../testing/text.ts";
import { pathFrom } from "../words.ts";

interface TestOptions {
  readonly paths: readonly string[];
  readonly runScripts?: true;
  readonly update?: true;
  readonly watch?: true;
  readonly coverage?: string | true;
  readonly format?: string;
  readonly json?: true;
  readonly fromRun?: string;
  readonly output?: string;
  readonly stateDir?: string;
}

/** `raymond test`: runs the tests of workflows, without a model. Returns 1 where one fails. */
export async function testCommand(options: TestOptions, shell: Shell): Promise<ExitCode> {
  if (options.fromRun !== undefined) return record(options.fromRun, options, shell);
  refuseAlone(options);
  const format = formatOf(options);
  const least = leastOf(options);
  const { paths, runScripts, update } = options;
  const wanted = { paths, runScripts, update, coverage: least !== null, exitCodeOf: exitCodeOfRun };
  const look = () => testOnce(wanted, format, least, shell);
  if (options.watch !== true) return look();
  await watchWorkflows(await testFiles(paths, shell), shell, async () => {
    await look().catch((error: unknown) => {
      // What is half written is mended in a moment.
      if (!(error instanceof RaymondError)) throw error;
      reportError(error, shell.err.line, shell.style);
    });
  });
  return EXIT.completed;
}

/** One round of tests, and what there is to tell of it. */
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

/** How much has to be covered; null: nobody asks. */
function leastOf({ coverage }: TestOptions): number | null {
  if (coverage === undefined) return null;
  if (coverage === true) return 0;
  const percent = Number(coverage);
  if (/^\d{1,3}$/.test(coverage) && percent <= 100) return percent;
  throw new BadFlagError(
    "--coverage",
    coverage,
    "a number of percent, from 0 to 100; paths stand before it",
  );
}

/** `raymond test --from-run`: what the run has done, as a test. */
async function record(run: string, options: TestOptions, shell: Shell): Promise<ExitCode> {
  const { output, stateDir, json, paths } = options;
  if (paths.length > 0) throw new BadFlagError("--from-run", run, "a run, and no path beside it");
  const written = await testFromRun({ run, output, stateDir, exitCodeOf: exitCodeOfRun }, shell);
  if (json === true) printJson(shell.out, written);
  else
    shell.out.line(
      `Wrote ${pathFrom(shell.cwd, written.file)}: the way of ${written.run}, which passes.`,
    );
  return EXIT.completed;
}

/** What only a recording takes. */
function refuseAlone({ output, stateDir }: TestOptions): void {
  const expects = "its value only together with --from-run";
  if (output !== undefined) throw new BadFlagError("--output", output, expects);
  if (stateDir !== undefined) throw new BadFlagError("--state-dir", stateDir, expects);
}

export const TEST_FORMATS = ["text", "json", "junit"] as const;
type Format = (typeof TEST_FORMATS)[number];

function formatOf({ format, json }: TestOptions): Format {
  if (format === undefined) return json === true ? "json" : "text";
  const known = TEST_FORMATS.find((one) => one === format);
  if (known === undefined)
    throw new BadFlagError("--format", format, `one of ${TEST_FORMATS.join(", ")}`);
  return known;
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
