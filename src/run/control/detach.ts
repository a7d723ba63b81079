import { newRunId } from "../../machine/model/run-id.ts";
import type { RunId } from "../../machine/model/run-state.ts";
import { startDetached } from "../../process/children/detached-process.ts";
import { refuseBadId } from "../../storage/run-home.ts";
import type { Caller } from "../../wire/caller.ts";
import { programName } from "../../wire/program-name.ts";
import { nameRun, type Place, runsOf } from "../../wire/stores.ts";
import { openDetachedOutput } from "../../wire/system/detached-output.ts";
import { randomBelow } from "../../wire/system/system.ts";
import { runErrors } from "../errors.ts";
import { DETACHED, DETACHED_VIA } from "./detached-mark.ts";

export interface DetachOptions extends Place {
  /** The run to resume; default: a new run. */
  readonly run?: string | undefined;
  /** The id of the new run; default: a generated one. */
  readonly id?: string | undefined;
  /** The command line that drives it. */
  readonly command: readonly string[];
  /** Its standard input; null: none. */
  readonly input: string | null;
}

export type Detached =
  | {
      readonly outcome: "started";
      readonly id: RunId;
      readonly pid: number;
      /** The file with its output. */
      readonly output: string;
      /** Its output so far: warnings. */
      readonly said: string;
      readonly program: string;
    }
  /** It did not start, and left nothing behind. `said`: its output. */
  | { readonly outcome: "refused"; readonly code: number; readonly said: string };

/**
 * Starts a process that drives a run, in its own session. Resolves when the run is saved and its
 * first step is about to start, or has failed to start. Rejects with a RaymondError if there is no
 * such run, or if its output cannot be written.
 */
export async function detach(options: DetachOptions, caller: Caller): Promise<Detached> {
  const { stateDir, command, input } = options;
  const named = await place(options, caller);
  const output = await openDetachedOutput(named, caller);
  try {
    const started = await startDetached({
      ...{ command, cwd: caller.cwd, input, output: output.descriptor },
      env: { ...caller.env, [DETACHED]: named.id, [DETACHED_VIA]: caller.actor().via },
    });
    if ("problem" in started) {
      output.discard();
      throw runErrors["run/not-started"](started.problem);
    }
    const said = output.said(started.ok ? started.printed : undefined);
    if (!started.ok) {
      output.discard();
      return { outcome: "refused", code: started.code ?? FAILED, said };
    }
    const program = named.program ?? programName({ stateDir });
    return {
      outcome: "started",
      id: named.id,
      pid: started.pid,
      output: output.file,
      said,
      program,
    };
  } catch (error) {
    output.discard();
    throw error;
  } finally {
    output.close();
  }
}

/** A process that was killed has no exit code. */
const FAILED = 1;

async function place({ run, id: wanted, stateDir }: DetachOptions, caller: Caller) {
  if (run !== undefined) return nameRun({ run, stateDir }, caller);
  const runs = await runsOf({ stateDir }, caller);
  const id = wanted ?? newRunId(new Date(caller.now()), randomBelow);
  refuseBadId(id);
  return { id, ...runs, program: null };
}
