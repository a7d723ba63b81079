import type { RunId, RunState } from "../machine/model/run-state.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import { type Place, pinRun } from "../wire/stores.ts";
import type { Driving } from "./driving.ts";
import { type OpenedRun, openRun, registerDriven } from "./manual/opened-run.ts";
import { type RerunOptions, rerun } from "./rerun.ts";
import { type ResumeOptions, resume } from "./resume.ts";
import { type StartOptions, start } from "./start.ts";

/** `warn` receives warnings as sentences. */
type Warned = Pick<Driving, "warn">;

export interface StartRunOptions extends Omit<StartOptions, keyof Driving>, Warned {}
export interface ResumeRunOptions extends Omit<ResumeOptions, keyof Driving>, Warned {}
export interface RerunRunOptions extends Omit<RerunOptions, keyof Driving>, Warned {}

/**
 * Starts a workflow. Resolves when the run is saved and in progress in this process. All checks are
 * done before: on a problem it rejects with a RaymondError, and leaves nothing behind.
 */
export async function startRun(
  options: StartRunOptions,
  caller: Caller = thisProcess(),
): Promise<OpenedRun> {
  return drive((driving) => start({ ...options, ...driving }, caller), options, caller);
}

/**
 * Resumes a run in this process, and resolves when it is in progress. Rejects with a RaymondError
 * if it is complete, locked by another process, or lacks something that it needs.
 */
export async function resumeRun(
  options: ResumeRunOptions,
  caller: Caller = thisProcess(),
): Promise<OpenedRun> {
  const pinned = { ...options, ...(await pinRun(options, caller)).named };
  return drive((driving) => resume({ ...pinned, ...driving }, caller), pinned, caller);
}

/**
 * Starts a new run in this process from a step of another run, and resolves when it is in progress.
 * Rejects as `startRun` does, and if a file or conversation that it needs is gone.
 */
export async function rerunRun(
  options: RerunRunOptions,
  caller: Caller = thisProcess(),
): Promise<OpenedRun> {
  const pinned = { ...options, ...(await pinRun(options, caller)).named };
  return drive((driving) => rerun({ ...pinned, ...driving }, caller), pinned, caller);
}

async function drive(
  begin: (driving: Driving) => Promise<RunState>,
  { stateDir, warn }: Place & Warned,
  caller: Caller,
): Promise<OpenedRun> {
  const interrupt = new AbortController();
  const kill = new AbortController();
  let reportStart: (id: RunId) => void = () => undefined;
  const started = new Promise<RunId>((resolve) => {
    reportStart = resolve;
  });
  const ended = begin({
    ...(warn === undefined ? {} : { warn }),
    watch: ({ id }) => [
      {
        notify: () => {
          reportStart(id);
        },
      },
    ],
    control: { interrupt: interrupt.signal, kill: kill.signal },
  });
  const id = await Promise.race([started, ended.then((run) => run.id)]);
  const { root } = await pinRun({ run: id, stateDir }, caller);
  registerDriven(root, id, { ended, interrupt, kill });
  return openRun({ run: id, stateDir }, caller);
}
