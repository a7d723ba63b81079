import type { Command } from "commander";
import { distanceOf } from "../../../console/local-time.ts";
import { resumeAdvice, takeOverAdvice } from "../../../console/summary.ts";
import type { LockHolder } from "../../../engine/ports/store.ts";
import type { LogPiece } from "../../../inspect/history/logs.ts";
import type { RunState } from "../../../machine/model/run-state.ts";
import { isLive } from "../../../machine/moves/stop.ts";
import { type Attached, attach } from "../../../run/control/attach.ts";
import type { Place } from "../../../wire/stores.ts";
import { consoleSettings, logConsole } from "../../history/log-console.ts";
import type { LiveRun } from "../../live/live-run.ts";
import { liveStart } from "../../live-start.ts";
import { printResult } from "../../output.ts";
import { action, JSON_LINES, runSelection } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { onceOnSignals } from "../../signals.ts";
import { EXIT, type ExitCode, exitCodeOfRun } from "../../words/exit-codes.ts";
import { inFleet, type WhichRuns } from "../fleet/in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  command
    .argument("[live]", "Run (default: the one that is running, else the latest)")
    .option("--verbose", "Print everything")
    .option("--plain", "Print lines only, without the live view")
    .option(...JSON_LINES);
  runSelection(command).action(
    action<AttachCommandOptions & WhichRuns>(shell, (options) =>
      inFleet(options, shell, (at) => attachCommand(options, at), true),
    ),
  );
}

interface AttachCommandOptions extends Place {
  readonly live?: string | undefined;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly plain?: boolean;
  readonly json?: boolean;
}

type Watched = Pick<Attached, "id" | "program" | "holder">;

/** What happens if the user detaches before the run has ended. */
export interface Leaving {
  readonly control: AbortController;
  readonly words: (attached: Watched) => string;
  readonly code: () => ExitCode;
}

/** Returns the exit code of the run, or 0 if the user detaches before its end. */
export async function attachCommand(
  options: AttachCommandOptions,
  shell: Shell,
): Promise<ExitCode> {
  const control = new AbortController();
  const stopListening = onceOnSignals(["SIGINT"], () => {
    control.abort();
  });
  try {
    const leaving = { control, words: leftWords, code: () => EXIT.completed };
    return await watchRun(options, shell, leaving);
  } finally {
    stopListening();
  }
}

/** Shows a run until it ends, or until the user detaches. Returns the exit code. */
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

/** Events of a long run to start with. They include what its agents do now. */
const LAST_EVENTS = 500;

async function follow(
  attached: Attached,
  live: LiveRun | null,
  leaving: AbortSignal,
  options: AttachCommandOptions,
  shell: Shell,
): Promise<void> {
  const { run, holder, program, artifacts, pieces } = attached;
  const json = options.json === true;
  const write = live?.write ?? shell.err.write;
  /** Output from before the command started. The live view shows only its end. */
  let early: string[] | null = live === null ? null : [];
  const print = (text: string): void => {
    if (early === null) write(text);
    else early.push(text);
  };
  const settings = consoleSettings(options, () => live, shell);
  const show = logConsole({ ...settings, write: print, program }, artifacts.debug);
  const flush = (): void => {
    if (early === null) return;
    write(early.slice(-EARLY_LINES).join(""));
    early = null;
  };
  if (holder !== null && options.quiet !== true) {
    for (const line of attachedLines(attached, holder, shell.now())) write(`${line}\n`);
  }
  live?.show(run);
  for await (const piece of untilAborted(pieces, leaving)) {
    for (const logged of piece.lines) {
      live?.see(logged.event, piece.run);
      if (json) shell.out.line(logged.text);
      else show(logged, piece.run);
    }
    live?.show(piece.run);
    flush();
    if (json) await shell.out.flush();
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
      `No process runs ${id} any more. Resume with: ${resumeAdvice(run, program) ?? ""}`,
    );
    return EXIT.failed;
  }
  if (!json) printResult(run, shell.out);
  return exitCodeOfRun(run);
}

/** The owner of the run, and what to do if it cannot be checked from here. */
function attachedLines(
  { id, program }: Attached,
  { pid, host, visible, lastSeenAt }: LockHolder,
  now: number,
): readonly string[] {
  const owner = `process ${String(pid)} on ${host}`;
  if (visible) return [`attached to ${id}, run by ${owner}`];
  return [
    `attached to ${id}, locked by ${owner}, last activity ${distanceOf(Date.parse(lastSeenAt), now)}`,
    `  that process cannot be checked from here; its output is shown, and questions can be answered`,
    `  to stop or retry the run, on ${host}: ${program} attach ${id}`,
    `  if the process is certainly dead: ${takeOverAdvice({ id }, program)}`,
  ];
}

export function leftWords({ id, program, holder }: Watched): string {
  const state = holder?.visible === false ? "is unchanged" : "continues";
  return `${id} ${state}. Watch it again with: ${program} attach ${id}`;
}
