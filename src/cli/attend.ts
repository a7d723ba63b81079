import { consoleObserver } from "../console/console.ts";
import type { Observer } from "../engine/ports/observer.ts";
import { RaymondError } from "../language/basics/errors.ts";
import { jsonObserver } from "../log/codec/event-json.ts";
import { printable } from "../log/printable.ts";
import type { RunState } from "../machine/model/run-state.ts";
import { signalWord } from "../machine/model/signal-word.ts";
import type { Driving, Facts } from "../run/driving.ts";
import type { EndedWorktree } from "../run/worktree/run-worktree.ts";
import { BrokenOffError, UNTRUSTED, UntrustedProjectError } from "../wire/errors.ts";
import { systemPlatform } from "../wire/system/system.ts";
import { isTrustable, trust } from "../wire/trust/trusted.ts";
import { consoleSettings } from "./history/log-console.ts";
import type { LiveRun } from "./live/live-run.ts";
import { liveStart } from "./live-start.ts";
import { printResult } from "./output.ts";
import type { RunOptions } from "./parse/run-options.ts";
import type { Shell } from "./shell.ts";
import { controlBySignals } from "./signals.ts";
import { terminalQuestions } from "./terminal-questions.ts";
import { confirm } from "./tty.ts";
import { EXIT, exitCodeOfRun } from "./words/exit-codes.ts";
import { reportError } from "./words/report-error.ts";
import { worktreeWords } from "./words/worktree-words.ts";

/**
 * Runs a run in this process: shows it, stops it at signals, and prints its result. Returns its exit code. `kept`: false
 * if the run is deleted at its end, so that the console does not say how to resume it.
 */
export async function attend(
  drive: (driving: Driving) => Promise<RunState>,
  options: Pick<RunOptions, "json" | "quiet" | "verbose" | "plain" | "noInput" | "park">,
  shell: Shell,
  kept = true,
): Promise<number> {
  const { style, detachedChild } = shell;
  // With --detach, the parent prints the JSON object.
  const json = options.json === true && detachedChild === null;
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
      consoleObserver({
        ...consoleSettings(options, () => live, shell),
        write: questions?.write ?? write,
        now: shell.now,
        debugFile: (agent) => (kept ? facts.debugFile(agent) : null),
        source: facts.source,
        program: kept ? program : null,
      }),
      ...(json ? [jsonObserver(shell.out.line, facts.clock)] : []),
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
  const onWorktree = (ended: EndedWorktree) => {
    for (const text of worktreeWords(ended)) err.line(printable(text));
  };
  try {
    const attended = () => live?.attended() ?? questions?.attended() ?? false;
    const parksWhenIdle = () => options.park === true;
    const control = { ...signals.control, attended, parksWhenIdle };
    return exitCodeOfRun(await askTrust(shell, () => drive({ watch, warn, control, onWorktree })));
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

function atEnd(act: (run: RunState) => void): Observer {
  return {
    notify: (event, run) => {
      if (event.type === "run.ended") act(run);
    },
  };
}

/** Asks at the terminal whether to trust files of the project, and saves the answer. Without a terminal it throws. */
export async function askTrust<T>(shell: Shell, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UntrustedProjectError) || shell.ask === null) throw error;
    const { subject, untrusted } = error;
    if (!isTrustable(subject)) throw error;
    shell.err.line(`${printable(subject.place)} ${UNTRUSTED[subject.kind].problem}:`);
    for (const each of untrusted) shell.err.line(`  ${printable(each)}`);
    if (!(await confirm(shell.ask, "Trust it?"))) throw error;
    await trust(error.subject, shell);
    return askTrust(shell, work);
  }
}
