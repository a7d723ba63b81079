import type { RunId, RunState } from "../core/machine/run-state.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { keepDriven } from "./driven-here.ts";
import type { Driving } from "./driving.ts";
import { type OpenedRun, openRun } from "./opened-run.ts";
import { pinRun } from "./pinned-run.ts";
import { type RerunOptions, rerun } from "./rerun.ts";
import { type ResumeOptions, resume } from "./resume.ts";
import { type StartOptions, start } from "./start.ts";
import type { Place } from "./wire/stores.ts";

/** Where sentences go about what is odd in a run and stops nothing; nowhere without. */
type Heard = Pick<Driving, "warn">;

/** A run that is to be started. */
export interface StartRunOptions extends Omit<StartOptions, keyof Driving>, Heard {}

/** A run that is to go on. */
export interface ResumeRunOptions extends Omit<ResumeOptions, keyof Driving>, Heard {}

/** A run that is to begin where another one stood. */
export interface RerunRunOptions extends Omit<RerunOptions, keyof Driving>, Heard {}

/**
 * Starts a workflow, and resolves when its run is saved and goes on in this process. Whatever can be
 * found wrong is found before: then it rejects with a RaymondError, and nothing stays.
 */
export async function startRun(
  options: StartRunOptions,
  caller: Caller = thisProcess(),
): Promise<OpenedRun> {
  return drive((driving) => start({ ...options, ...driving }, caller), options, caller);
}

/**
 * Goes on with a run in this process, and resolves when it does. Rejects with a RaymondError where
 * it cannot go on: it is complete, held by another process, or misses what it needs.
 */
export async function resumeRun(
  options: ResumeRunOptions,
  caller: Caller = thisProcess(),
): Promise<OpenedRun> {
  const pinned = { ...options, ...(await pinRun(options, caller)).named };
  return drive((driving) => resume({ ...pinned, ...driving }, caller), pinned, caller);
}

/**
 * Starts a new run in this process where another one stood before a step, and resolves when it goes
 * on. Rejects as `startRun` does, and where what that needs is gone.
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
  { stateDir, warn }: Place & Heard,
  caller: Caller,
): Promise<OpenedRun> {
  const interrupt = new AbortController();
  const kill = new AbortController();
  let tellBegun: (id: RunId) => void = () => undefined;
  const begun = new Promise<RunId>((resolve) => {
    tellBegun = resolve;
  });
  const ended = begin({
    ...(warn === undefined ? {} : { warn }),
    watch: ({ id }) => [
      {
        notify: () => {
          tellBegun(id);
        },
      },
    ],
    control: { interrupt: interrupt.signal, kill: kill.signal },
  });
  const id = await Promise.race([begun, ended.then((run) => run.id)]);
  const { root } = await pinRun({ run: id, stateDir }, caller);
  keepDriven(root, id, {
    ended,
    interrupt: () => {
      interrupt.abort();
    },
    kill: () => {
      kill.abort();
    },
  });
  return openRun({ run: id, stateDir }, caller);
}
