import { RaymondError } from "../core/errors.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { signalWord } from "../core/machine/signal-word.ts";
import { consoleObserver } from "../observers/console.ts";
import { jsonObserver } from "../observers/json.ts";
import { printable } from "../observers/printable.ts";
import type { Observer } from "../ports/observer.ts";
import type { Driving, Facts } from "../runs/driving.ts";
import { BrokenOffError } from "../runs/errors.ts";
import { systemPlatform } from "../runs/wire/system.ts";
import { EXIT, exitCodeOfRun } from "./exit-codes.ts";
import type { LiveRun } from "./live/live-run.ts";
import { liveStart } from "./live-start.ts";
import { reportError } from "./report-error.ts";
import type { RunOptions } from "./run-options.ts";
import { printResult } from "./run-result.ts";
import type { Shell } from "./shell.ts";
import { controlBySignals } from "./signals.ts";
import { smallYoungSpace } from "./small-young-space.ts";
import { terminalQuestions } from "./terminal-questions.ts";
import { pathFrom } from "./words.ts";

/** A run that is taken away when it ends is passing: nobody is told how to go on with it. */
export type Keeping = "kept" | "passing";

/**
 * Drives a run with everything around it that a user expects: it is shown, signals stop it, its
 * result is printed. Returns its exit code.
 */
export async function attend(
  drive: (driving: Driving) => Promise<RunState>,
  options: Pick<RunOptions, "json" | "quiet" | "verbose" | "plain" | "noInput" | "park">,
  shell: Shell,
  keeping: Keeping = "kept",
): Promise<number> {
  const { style, onItsOwn } = shell;
  // Who has asked for JSON, and for a run in the background, has got his object.
  const json = options.json === true && onItsOwn === null;
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
    // What the terminal was too slow for it gets now, as ever: the run waits for it no more.
    shell.err.write(live?.end() ?? "");
    live = null;
  };
  const signals = controlBySignals(process, (name, time) => {
    const signal = signalWord(name, systemPlatform());
    err.line(
      time === 1
        ? `${signal}: stopping. Steps in flight are interrupted${kept ? " and will go on when the run is resumed" : ""}. Once more kills them.`
        : `${signal}: killing what is still in flight.`,
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
      ...(onItsOwn === null ? [] : [{ notify: onItsOwn.begun }]),
      // First: what is answered needs no line of its own any more.
      ...(questions === null ? [] : [questions.observer(facts)]),
      ...(live === null ? [] : [{ notify: live.see }]),
      onScreen(facts, { ...options, live }, shell, kept, questions?.write ?? write),
      ...(json ? [jsonObserver(shell.out.line, facts.clock)] : []),
      smallYoungSpace(),
      toTheEnd((run) => {
        signals.fallSilent();
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
    const parks = () => options.park === true;
    const control = { ...signals.control, attended, parks };
    return exitCodeOfRun(await drive({ watch, warn, control }));
  } catch (error) {
    endLive();
    if (!(error instanceof BrokenOffError)) throw error;
    const { cause } = error;
    // One that another process has taken goes on there; what to do about it, the error says.
    const advised = kept && !(cause instanceof RaymondError && cause.code === "store/run-taken");
    err.line(`${error.message}${advised ? ` Go on with: ${program} --resume ${error.run}` : ""}`);
    if (!(cause instanceof RaymondError)) throw cause;
    const code = reportError(cause, err.line, style, shell.asCalled);
    // What only a run that is under way can meet, a full disk say, is no usage error.
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

function toTheEnd(tell: (run: RunState) => void): Observer {
  return {
    notify: (event, run) => {
      if (event.type === "run.ended") tell(run);
    },
  };
}
