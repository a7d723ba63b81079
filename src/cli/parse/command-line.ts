import { realpathSync } from "node:fs";
import { isatty } from "node:tty";
import { CommanderError } from "commander";
import type { Caller } from "../../wire/caller.ts";
import { CONTROL_SIGNAL } from "../../wire/control-signal.ts";
import { systemActor } from "../../wire/system/actor.ts";
import { STATE_DIR_COMMANDS } from "../commands/command-list.ts";
import { detachedChild } from "../detached-child.ts";
import type { Terminal } from "../live/terminal.ts";
import { requireArrival, streamOutput } from "../output.ts";
import type { Shell } from "../shell.ts";
import { askLine, chooseStyle, closeLostTerminals, isInteractive } from "../tty.ts";
import { cliErrors } from "../words/errors.ts";
import { EXIT } from "../words/exit-codes.ts";
import { commandPrefixer, reportError } from "../words/report-error.ts";
import { runCommandLine } from "./tree.ts";

/** Dependencies of the command line other than its process. */
export type World = Pick<Caller, "now" | "system">;

/** The `raymond` command: argv in, exit code out. Ends the process. */
export async function commandLine({ now, system }: World): Promise<never> {
  const out = streamOutput(() => process.stdout, isatty(1));
  const err = streamOutput(() => process.stderr);
  const style = chooseStyle(isatty(2), process.env);
  const asCalled = commandPrefixer(process.argv, STATE_DIR_COMMANDS);
  let code: number = EXIT.completed;
  closeLostTerminals(process);
  // Node exits silently with 0 once no event is pending.
  process.once("beforeExit", () => {
    const stuck = new Error("No event is pending, but the command has not ended.");
    process.exit(reportError(stuck, err.line, style));
  });
  // `raymond retry` may signal a process that is not waiting. The signal must not kill it.
  process.on(CONTROL_SIGNAL, () => undefined);
  try {
    const { env } = process;
    const child = detachedChild(process);
    const shell: Shell = {
      cwd: currentFolder(),
      env,
      actor: () => systemActor(env, child?.via),
      out,
      err,
      style,
      asCalled,
      get columns() {
        return isatty(2) ? process.stderr.columns : null;
      },
      get outColumns() {
        return widthOfOutput();
      },
      now,
      system,
      ask: isatty(0) && isatty(2) ? askLine : null,
      terminal: isatty(2) && isInteractive(process.env) ? terminal : null,
      foreground:
        isatty(0) && isatty(1)
          ? async (call) => (await import("../../wire/system/foreground.ts")).inForeground(call)
          : null,
      command: [process.execPath, ...process.execArgv, ...process.argv.slice(1)],
      detachedChild: child,
      readStdin: async () => (await import("node:stream/consumers")).text(process.stdin),
      exit: (wanted) => {
        code = wanted;
      },
    };
    await runCommandLine(process.argv, shell).catch(async (error: unknown) => {
      // The end of `--help` and `--version`. Other errors of commander are errors of raymond.
      if (!(error instanceof CommanderError)) throw error;
      await requireArrival(out);
    });
  } catch (error) {
    code = reportError(error, err.line, style, asCalled);
  }
  await Promise.all([out.flush(), err.flush()]);
  // A pipe that a background process of a step holds open must not keep raymond alive.
  process.exit(code);
}

async function terminal(): Promise<Terminal | null> {
  const { openTerminal } = await import("../live/terminal.ts");
  return openTerminal(process);
}

/** Null: no limit. */
function widthOfOutput(): number | null {
  if (isatty(1)) return process.stdout.columns;
  const text = Number(process.env["COLUMNS"]);
  return Number.isInteger(text) && text > 0 ? text : null;
}

function currentFolder(): string {
  try {
    return realpathSync(process.cwd());
  } catch (error) {
    throw cliErrors["cli/no-current-folder"](error);
  }
}
