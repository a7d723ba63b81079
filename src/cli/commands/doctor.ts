import { printable } from "../../observers/printable.ts";
import type { Check } from "../../runs/doctor/check.ts";
import { diagnose } from "../../runs/doctor/diagnose.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { printJson } from "../output.ts";
import type { Shell } from "../shell.ts";
import { VERSION } from "../version.ts";

interface DoctorOptions {
  readonly json?: true;
  readonly stateDir?: string;
  readonly fleet?: true;
  readonly trustProject?: true;
}

/** `raymond doctor`: whether everything that a run depends on is there. Returns 1 when a run would fail. */
export async function doctorCommand(options: DoctorOptions, shell: Shell): Promise<ExitCode> {
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

/** One line: how it is, what was found, and what to do. */
export function formatCheck({ level, name, message, hint }: Check): string {
  const word = level === "fail" ? "FAIL" : level;
  const text = hint === null ? message : `${message} ${hint}`;
  return printable(`${word.padEnd(4)}  ${name.padEnd(NAME_WIDTH)}  ${text.replaceAll("\n", " ")}`);
}

const NAME_WIDTH = 11;
