import { RaymondError } from "../core/errors.ts";
import type { RunState } from "../core/machine/run-state.ts";
import type { Control, Engine } from "../engine/engine.ts";
import { printable } from "../observers/printable.ts";
import { EXIT } from "./exit-codes.ts";
import type { Checked } from "./preflight.ts";
import { reportError } from "./report-error.ts";
import type { RunOptions } from "./run-options.ts";
import type { Shell } from "./shell.ts";
import { controlBySignals } from "./signals.ts";
import { exitCodeOfRun, type Wiring, wire } from "./wire.ts";
import { programName } from "./words.ts";

/** What drives a run: `startRun` or `resumeRun`, with all but the world filled in. */
export type Begin = (engine: Engine, control: Control) => Promise<RunState>;

/**
 * Drives a run to its end, with everything around it that a user expects:
 * signals stop it, its result is printed, and its exit code is returned. The
 * caller holds the run's lock.
 */
export async function driveRun(
  wiring: Wiring,
  begin: Begin,
  checked: Checked,
  options: RunOptions,
  shell: Shell,
): Promise<number> {
  const wired = await wire(wiring, options, shell);
  const kept = wiring.keeping === "kept";
  let over = false;
  const control = controlBySignals(process, (signal, time) => {
    if (over) return;
    shell.err.line(
      time === 1
        ? `${signal}: stopping. Steps in flight are interrupted${kept ? " and will go on when the run is resumed" : ""}. Once more kills them.`
        : `${signal}: killing what is still in flight.`,
    );
  });
  const warn = (message: string) => {
    shell.err.line(`${shell.style.warning("warning:")} ${printable(message)}`);
  };
  for (const message of checked.warnings) warn(message);
  void checked.later.then((message) => {
    if (message !== null) warn(message);
  });
  try {
    const run = await begin(wired.engine, control);
    over = true;
    const result = run.results["main"];
    // With --keep-going main ends as it would have, whichever worker has failed.
    const ended = run.status === "completed" || (run.status === "failed" && run.settings.keepGoing);
    if (options.json !== true && ended && result !== undefined) {
      shell.out.write(result === "" || result.endsWith("\n") ? result : `${result}\n`);
    }
    return exitCodeOfRun(run);
  } catch (error) {
    // What was never saved is no run that one could go on with.
    if (!(await isSaved(wiring))) throw error;
    const advice = kept ? ` Go on with: ${programName(options)} --resume ${wiring.id}` : "";
    shell.err.line(`The run ${wiring.id} was broken off.${advice}`);
    if (!(error instanceof RaymondError)) throw error;
    const code = reportError(error, shell.err.line, shell.style);
    // What only a run that is under way can meet, a full disk say, is no usage error.
    return code === EXIT.usage ? EXIT.failed : code;
  } finally {
    await Promise.all([wired.close(), checked.end()]);
  }
}

/** Whether there is a state file, be it one that cannot be read. */
async function isSaved({ id, store }: Wiring): Promise<boolean> {
  return store.load(id).then(
    (run) => run !== undefined,
    () => true,
  );
}
