import { BadFlagError } from "../../config/errors.ts";
import { type TestedFile, test } from "../../runs/test.ts";
import { EXIT, type ExitCode, exitCodeOfRun } from "../exit-codes.ts";
import { printJson } from "../output.ts";
import type { Shell } from "../shell.ts";
import { testsJson } from "../testing/json.ts";
import { testsJunit } from "../testing/junit.ts";
import { formatSum, formatTests } from "../testing/text.ts";

interface TestOptions {
  readonly paths: readonly string[];
  readonly runScripts?: true;
  readonly format?: string;
  readonly json?: true;
}

/** `raymond test`: runs the tests of workflows, without a model. Returns 1 where one fails. */
export async function testCommand(options: TestOptions, shell: Shell): Promise<ExitCode> {
  const format = formatOf(options);
  const { paths, runScripts } = options;
  const began = performance.now();
  const files = await test({ paths, runScripts, exitCodeOf: exitCodeOfRun }, shell);
  print(files, format, performance.now() - began, shell);
  const failed = files.some(({ results }) =>
    results.some(({ mismatches }) => mismatches.length > 0),
  );
  return failed ? EXIT.failed : EXIT.completed;
}

const FORMATS = ["text", "json", "junit"] as const;
type Format = (typeof FORMATS)[number];

function formatOf({ format, json }: TestOptions): Format {
  if (format === undefined) return json === true ? "json" : "text";
  const known = FORMATS.find((one) => one === format);
  if (known === undefined)
    throw new BadFlagError("--format", format, `one of ${FORMATS.join(", ")}`);
  return known;
}

function print(
  files: readonly TestedFile[],
  format: Format,
  durationMs: number,
  shell: Shell,
): void {
  switch (format) {
    case "json":
      printJson(shell.out, testsJson(files));
      return;
    case "junit":
      shell.out.write(testsJunit(files));
      return;
    case "text": {
      for (const line of formatTests(files, shell)) shell.out.line(line);
      const results = files.flatMap((file) => file.results);
      shell.err.line(formatSum(results, durationMs));
    }
  }
}
