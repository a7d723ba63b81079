import { consoleObserver } from "../console/console.ts";
import type { Observer } from "../engine/ports/observer.ts";
import { RaymondError } from "../language/basics/errors.ts";
import { jsonObserver } from "../log/codec/json.ts";
import { printable } from "../log/printable.ts";
import type { RunState } from "../machine/run-state.ts";
import { signalWord } from "../machine/signal-word.ts";
import type { Driving, Facts } from "../run/driving.ts";
import { BrokenOffError } from "../wire/errors.ts";
import { systemPlatform } from "../wire/system/system.ts";
import type { LiveRun } from "./live/live-run.ts";
import { liveStart } from "./live-start.ts";
import type { RunOptions } from "./parse/run-options.ts";
import type { Shell } from "./shell.ts";
import { controlBySignals } from "./signals.ts";
import { terminalQuestions } from "./terminal-questions.ts";
import { limitYoungSpace } from "./v8-flags.ts";
import { EXIT, exitCodeOfRun } from "./words/exit-codes.ts";
import { reportError } from "./words/report-error.ts";
import { printResult } from "./words/run-result.ts";
import { pathFrom } from "./words/words.ts";

/** Whether the run is deleted at its end (`passing`). The console then does not say how to resume it. */
export type Keeping = "kept" | "passing";

/** Runs a run in this process: shows it, stops it at signals, and prints its result. Returns its exit code. */
export async function attend(
  drive: (driving: Driving) => Promise<RunState>,
  options: Pick<RunOptions, "json" | "quiet" | "verbose" | "plain" | "noInput" | "park">,
  shell: Shell,
  keeping: Keeping = "kept",
): Promise<number> {
  const { style, detachedChild } = shell;
  // With --detach, the parent prints the JSON object.
  const json = options.json === true && detachedChild === null;
  const kept = keeping === "kept";
  const startLive = await liveStart(options, shell);
  let live: LiveRun | null = null;
  const write = (text: string) => {
    (live ?? shell.err).write(text);
  };
  const err = {
    line: (text: string) => {
      write(`${text}\n`);
    },
  };
  const endLive = () => {
    // Writes what the live view could not, blocking if necessary: the run has ended.
    shell.err.write(live?.end() ?? "");
    live = null;
  };
  const signals = controlBySignals(process, (name, time) => {
    const signal = signalWord(name, systemPlatform());
    err.line(
      time === 1
        ? `${signal}: stopping. Steps in flight are interrupted${kept ? " and will continue when the run is resumed" : ""}. Press again to kill them.`
        : `${signal}: killing steps in flight.`,
    );
  });
  const asks = kept && options.noInput !== true;
  const questions = asks && startLive === null ? terminalQuestions(shell) : null;
  let program = "raymond";
  const watch = (facts: Facts) => {
    ({ program } = facts);
    signals.listen();
    live = startLive?.(facts, { asks, leave: null }) ?? null;
    return [
      ...(detachedChild === null ? [] : [{ notify: detachedChild.started }]),
      // First: an answered question needs no line of its own.
      ...(questions === null ? [] : [questions.observer(facts)]),
      ...(live === null ? [] : [{ notify: live.see }]),
      onScreen(facts, { ...options, live }, shell, kept, questions?.write ?? write),
      ...(json ? [jsonObserver(shell.out.line, facts.clock)] : []),
      limitYoungSpace(),
      atEnd((run) => {
        signals.stopReporting();
        endLive();
        if (!json) printResult(run, shell.out);
      }),
    ];
  };
  const warn = (message: string) => {
    err.line(`${style.warning("warning:")} ${printable(message)}`);
  };
  try {
    const attended = () => live?.attended() ?? questions?.attended() ?? false;
    const parksWhenIdle = () => options.park === true;
    const control = { ...signals.control, attended, parksWhenIdle };
    return exitCodeOfRun(await drive({ watch, warn, control }));
  } catch (error) {
    endLive();
    if (!(error instanceof BrokenOffError)) throw error;
    const { cause } = error;
    // A run that another process took over continues there. The error says what to do.
    const advised = kept && !(cause instanceof RaymondError && cause.code === "store/run-taken");
    err.line(`${error.message}${advised ? ` Resume with: ${program} resume ${error.run}` : ""}`);
    if (!(cause instanceof RaymondError)) throw cause;
    const code = reportError(cause, err.line, style, shell.asCalled);
    // An error during a run, such as a full disk, is not a usage error.
    return code === EXIT.usage ? EXIT.failed : code;
  } finally {
    endLive();
    questions?.end();
  }
}

function onScreen(
  { cwd, program, debugFile, source }: Facts,
  {
    quiet,
    verbose,
    live,
  }: Pick<RunOptions, "quiet" | "verbose"> & { readonly live: LiveRun | null },
  shell: Shell,
  kept: boolean,
  write: (text: string) => void,
): Observer {
  return consoleObserver({
    write,
    style: shell.style,
    get verbose() {
      return live?.isVerbose() ?? verbose === true;
    },
    quiet: quiet === true,
    columns: () => shell.columns,
    now: shell.now,
    debugFile: (agent) => (kept ? debugFile(agent) : null),
    source,
    shownPath: (file) => pathFrom(cwd, file),
    program: kept ? program : null,
  });
}

function atEnd(act: (run: RunState) => void): Observer {
  return {
    notify: (event, run) => {
      if (event.type === "run.ended") act(run);
    },
  };
}
