import { realpathSync } from "node:fs";
import { isatty } from "node:tty";
import { CommanderError } from "commander";
import type { Caller } from "../runs/caller.ts";
import { hasFleetUrl } from "../runs/fleet-variable.ts";
import { RETRY_SIGNAL } from "../runs/retry-signal.ts";
import { calledBy } from "./as-called.ts";
import { NoCurrentFolderError } from "./errors.ts";
import { EXIT } from "./exit-codes.ts";
import type { Terminal } from "./live/terminal.ts";
import { isForLooking } from "./live-start.ts";
import { releaseLostTerminals } from "./lost-terminals.ts";
import { onItsOwn } from "./on-its-own.ts";
import { openedLate, requireArrival, safeOnTerminal, streamOutput } from "./output.ts";
import { exitCodeOfCommander, obeyCommandLine } from "./program.ts";
import { reportError } from "./report-error.ts";
import type { Shell } from "./shell.ts";
import { chooseStyle } from "./style.ts";
import { ABOUT_RUNS } from "./subcommand-table.ts";

/** What the command line is given, beside its process. */
export type World = Pick<Caller, "now" | "system">;

/** The `raymond` command: argv in, exit code out. Ends the process. */
export async function commandLine({ now, system }: World): Promise<never> {
  const out = openedLate(() => safeOnTerminal(streamOutput(process.stdout), isatty(1)));
  const err = openedLate(() => streamOutput(process.stderr));
  const style = chooseStyle({ isTTY: isatty(2) }, process.env);
  const asCalled = calledBy(process.argv, ABOUT_RUNS);
  let code: number = EXIT.completed;
  releaseLostTerminals(process);
  // Node ends in silence, and with 0, once nothing is left that could wake it.
  process.once("beforeExit", () => {
    const stuck = new Error("Nothing is left to wait for, and the command has not ended.");
    process.exit(reportError(stuck, err.line, style));
  });
  // `raymond retry-now` may meet a process that does not wait, or not yet: it must not die of that.
  process.on(RETRY_SIGNAL, () => undefined);
  try {
    const shell: Shell = {
      cwd: currentFolder(),
      env: await givenEnvironment(),
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
      ask: isatty(0) && isatty(2) ? ask : null,
      terminal: isatty(2) && isForLooking(process.env) ? terminal : null,
      foreground:
        isatty(0) && isatty(1)
          ? async (call) => (await import("../runs/wire/foreground.ts")).inForeground(call)
          : null,
      command: [process.execPath, ...process.execArgv, ...process.argv.slice(1)],
      onItsOwn: onItsOwn(process),
      readStdin: async () => (await import("node:stream/consumers")).text(process.stdin),
      exit: (wanted) => {
        code = wanted;
      },
    };
    await obeyCommandLine(process.argv, shell).catch(async (error: unknown) => {
      // Commander has already said what there is to say: help, or what is wrong with the arguments.
      if (!(error instanceof CommanderError)) throw error;
      code = exitCodeOfCommander(error);
      if (code === EXIT.completed) await requireArrival(out);
    });
  } catch (error) {
    code = reportError(error, err.line, style, asCalled);
  }
  await Promise.all([out.flush(), err.flush()]);
  // A pipe that a background process of a step still holds must not keep raymond alive.
  process.exit(code);
}

/** The environment as it was given; the URL of a fleet is hidden from other processes. */
async function givenEnvironment(): Promise<Caller["env"]> {
  if (!hasFleetUrl(process)) return process.env;
  return (await import("../runs/wire/hidden-url.ts")).hideFleetUrl(process);
}

async function terminal(): Promise<Terminal | null> {
  const { openTerminal } = await import("./live/terminal.ts");
  return openTerminal(process);
}

async function ask(question: string, signal?: AbortSignal): Promise<string | null> {
  const { createInterface } = await import("node:readline");
  process.stderr.write(question);
  // The terminal itself edits the line, and makes a signal of Ctrl-C.
  const lines = createInterface({ input: process.stdin, terminal: false });
  const close = () => {
    lines.close();
  };
  signal?.addEventListener("abort", close, { once: true });
  const said = await new Promise<string | null>((resolve) => {
    lines.once("line", resolve);
    lines.once("close", () => {
      resolve(null);
    });
    if (signal?.aborted === true) close();
  });
  signal?.removeEventListener("abort", close);
  close();
  if (said === null && signal?.aborted !== true) process.stderr.write("\n");
  return said;
}

/** Null where lines may be as long as they are: nobody's window is their end. */
function widthOfOutput(): number | null {
  if (isatty(1)) return process.stdout.columns;
  const said = Number(process.env["COLUMNS"]);
  return Number.isInteger(said) && said > 0 ? said : null;
}

function currentFolder(): string {
  try {
    return realpathSync(process.cwd());
  } catch (error) {
    throw new NoCurrentFolderError(error);
  }
}
