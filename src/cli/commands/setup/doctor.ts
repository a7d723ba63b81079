import type { Command } from "commander";
import { diagnose } from "../../../doctor/diagnose.ts";
import type { Check } from "../../../inspect/check.ts";
import { printable } from "../../../log/printable.ts";
import { printJson } from "../../output.ts";
import { action, JSON_OBJECT, STATE_DIR } from "../../parse/options.ts";
import { VERSION } from "../../parse/version.ts";
import type { Shell } from "../../shell.ts";
import { EXIT, type ExitCode } from "../../words/exit-codes.ts";

export function define(command: Command, shell: Shell): void {
  command
    .option("--fleet", "Also check the fleet that RAYMOND_FLEET names")
    .option("--trust-project", "Start a client that config.toml sets")
    .option(...JSON_OBJECT)
    .option(...STATE_DIR)
    .action(action(shell, doctorCommand));
}

interface DoctorOptions {
  readonly json?: true;
  readonly stateDir?: string;
  readonly fleet?: true;
  readonly trustProject?: true;
}

/** Returns 1 if a run would fail. */
async function doctorCommand(options: DoctorOptions, shell: Shell): Promise<ExitCode> {
  const announce = (message: string) => {
    shell.err.line(printable(message));
  };
  const { checks, settings } = await diagnose({ ...options, announce }, shell);
  const fails = checks.some(({ level }) => level === "fail");
  if (options.json === true) {
    printJson(shell.out, { ok: !fails, version: VERSION, checks, settings });
  } else {
    for (const check of checks) shell.out.line(shell.asCalled(formatCheck(check)));
  }
  return fails ? EXIT.failed : EXIT.completed;
}

export function formatCheck({ level, name, message, hint }: Check): string {
  const word = level === "fail" ? "FAIL" : level;
  const text = hint === null ? message : `${message} ${hint}`;
  return printable(`${word.padEnd(4)}  ${name.padEnd(NAME_WIDTH)}  ${text.replaceAll("\n", " ")}`);
}

const NAME_WIDTH = 11;
