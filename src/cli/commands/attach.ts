import type { RunState } from "../../core/machine/run-state.ts";
import { isLive } from "../../core/machine/stop.ts";
import { resumeAdvice } from "../../observers/summary.ts";
import { type Attached, attach } from "../../runs/attach.ts";
import type { LogPiece } from "../../runs/logs.ts";
import type { Place } from "../../runs/wire/stores.ts";
import { attachedLines, leftWords } from "../attached-words.ts";
import { EXIT, type ExitCode, exitCodeOfRun } from "../exit-codes.ts";
import { logConsole } from "../history/log-console.ts";
import type { LiveRun } from "../live/live-run.ts";
import { liveStart } from "../live-start.ts";
import { printResult } from "../run-result.ts";
import type { Shell } from "../shell.ts";
import { hearOnce } from "../signals.ts";
import { pathFrom } from "../words.ts";

interface AttachCommandOptions extends Place {
  /** The run. */
  readonly live?: string;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly plain?: boolean;
  readonly json?: boolean;
}

/** What becomes of who leaves before the run has ended. */
export interface Leaving {
  /** Aborts when they leave. */
  readonly control: AbortController;
  readonly words: (attached: Pick<Attached, "id" | "program" | "holder">) => string;
  readonly code: () => ExitCode;
}

/**
 * `raymond attach`: watches a run as if it were driven here, and leaves it alone. Returns the exit code of the run
 * once it has ended; 0 for who leaves before.
 */
export async function attachCommand(
  options: AttachCommandOptions,
  shell: Shell,
): Promise<ExitCode> {
  const control = new AbortController();
  const stopHearing = hearOnce(["SIGINT"], () => {
    control.abort();
  });
  try {
    const leaving = { control, words: leftWords, code: () => EXIT.completed };
    return await watchRun(options, shell, leaving);
  } finally {
    stopHearing();
  }
}

/** Shows a run until it has ended, and returns its exit code; or until one leaves. */
export async function watchRun(
  options: AttachCommandOptions,
  shell: Shell,
  leaving: Leaving,
): Promise<ExitCode> {
  const { live: wanted, stateDir, json } = options;
  const start = await liveStart(options, shell);
  const attached = await attach(
    { run: wanted, stateDir, ...(start !== null && { last: LAST_EVENTS }) },
    shell,
  );
  const { clock } = await shell.system();
  const { signal } = leaving.control;
  const leave = () => {
    leaving.control.abort();
  };
  const live = start?.({ ...attached, clock }, { asks: false, leave }) ?? null;
  let rest = "";
  try {
    await follow(attached, live, signal, options, shell);
  } finally {
    rest = live?.end() ?? "";
  }
  shell.err.write(rest);
  if (signal.aborted) {
    shell.err.line(leaving.words(attached));
    return leaving.code();
  }
  return ending(await attached.ended(), attached, json === true, shell);
}

/** Of a long run so many events are told again: what its agents do now is among them. */
const LAST_EVENTS = 500;

async function follow(
  attached: Attached,
  live: LiveRun | null,
  leaving: AbortSignal,
  { json, quiet, verbose }: AttachCommandOptions,
  shell: Shell,
): Promise<void> {
  const { run, holder, program, artifacts, pieces } = attached;
  const write = live?.write ?? shell.err.write;
  /** What was told before somebody came: of it a screen holds only the end. */
  let early: string[] | null = live === null ? null : [];
  const tell = (text: string): void => {
    if (early === null) write(text);
    else early.push(text);
  };
  const show = logConsole(
    {
      write: tell,
      style: shell.style,
      get verbose() {
        return live?.isVerbose() ?? verbose === true;
      },
      quiet: quiet === true,
      columns: () => shell.columns,
      shownPath: (file) => pathFrom(shell.cwd, file),
      program,
    },
    artifacts.debug,
  );
  const flush = (): void => {
    if (early === null) return;
    write(early.slice(-EARLY_LINES).join(""));
    early = null;
  };
  if (holder !== null && quiet !== true) {
    for (const line of attachedLines(attached, holder, shell.now())) write(`${line}\n`);
  }
  live?.show(run);
  for await (const piece of untilAborted(pieces, leaving)) {
    for (const logged of piece.lines) {
      live?.see(logged.event, piece.run);
      if (json === true) shell.out.line(logged.text);
      else show(logged, piece.run);
    }
    live?.show(piece.run);
    flush();
    if (json === true) await shell.out.flush();
    if (shell.out.isClosed()) return;
  }
  flush();
}

const EARLY_LINES = 40;

async function* untilAborted(
  pieces: AsyncIterable<LogPiece>,
  signal: AbortSignal,
): AsyncGenerator<LogPiece> {
  const aborted = new Promise<null>((resolve) => {
    signal.addEventListener("abort", () => {
      resolve(null);
    });
  });
  const each = pieces[Symbol.asyncIterator]();
  while (!signal.aborted) {
    const next = await Promise.race([each.next(), aborted]);
    if (next === null || next.done === true) return;
    yield next.value;
  }
}

function ending(run: RunState, { id, program }: Attached, json: boolean, shell: Shell): ExitCode {
  if (isLive(run)) {
    shell.err.line(
      `No process runs ${id} any more; go on with: ${resumeAdvice(run, program) ?? ""}`,
    );
    return EXIT.failed;
  }
  if (!json) printResult(run, shell.out);
  return exitCodeOfRun(run);
}
