import { detach } from "../run/control/detach.ts";
import { dueRuns } from "../run/due.ts";
import { isFleetMeant, type WhichRuns } from "./commands/fleet/in-fleet.ts";
import type { RunOptions } from "./parse/run-options.ts";
import type { Shell } from "./shell.ts";
import { thisProgram } from "./this-program.ts";
import { cliErrors } from "./words/errors.ts";
import { EXIT, type ExitCode } from "./words/exit-codes.ts";

/**
 * `raymond resume --due`: resumes every run whose wait is over, each in a background process that exits at the
 * next wait. Returns 1 if a run could not be resumed.
 */
export async function resumeDue(
  named: string,
  options: RunOptions & WhichRuns,
  shell: Shell,
): Promise<ExitCode> {
  refuseOthers(named, options, shell);
  const { stateDir, json } = options;
  const place = stateDir === undefined ? [] : ["--state-dir", stateDir];
  const due = await dueRuns({ stateDir }, shell);
  if (due.length === 0 && json !== true) shell.err.line("No run of this project is due.");
  let failed = false;
  for (const run of due) {
    const command = [...thisProgram(), "resume", run, "--park", "--no-input", ...place];
    const started = await detach({ run, stateDir, command, input: null }, shell);
    shell.err.write(started.said);
    // Another process was faster: it resumes the run.
    if (started.outcome === "refused") failed ||= started.code !== EXIT.locked;
    else if (json === true) shell.out.line(JSON.stringify(resumedJson(started)));
    else shell.out.line(`${run} is resumed by process ${String(started.pid)}.`);
  }
  return failed ? EXIT.failed : EXIT.completed;
}

function resumedJson({ id, pid, output }: { id: string; pid: number; output: string }): object {
  return { workflow_id: id, pid, output };
}

/** What stands for RUN where none is given. */
const ANY = "latest";

const TAKEN: ReadonlySet<string> = new Set(["stateDir", "json", "fleet"]);

function refuseOthers(named: string, options: RunOptions & WhichRuns, shell: Shell): void {
  if (named !== ANY) {
    const hint = `Leave out --due to resume ${named} alone.`;
    throw cliErrors["cli/flag-conflict"](
      "--due resumes all runs that are due, so it takes no RUN.",
      hint,
    );
  }
  if (isFleetMeant(options, shell)) {
    const hint = "A worker of the fleet resumes its runs by itself.";
    throw cliErrors["cli/flag-conflict"]("--due is not for runs of a fleet.", hint);
  }
  const other = Object.keys(options).find((name) => !TAKEN.has(name));
  if (other === undefined) return;
  const flag = other.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const hint = "Each run is resumed with its own settings. Resume a single run to change them.";
  throw cliErrors["cli/flag-conflict"](`--due and --${flag} cannot be combined.`, hint);
}
