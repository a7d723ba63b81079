import type { RunId } from "../core/machine/run-state.ts";
import { newRunId, runIdProblem } from "../core/run-id.ts";
import { BadRunIdError } from "../stores/errors.ts";
import type { Caller } from "./caller.ts";
import { DETACHED } from "./detached-mark.ts";
import { BackgroundStartError } from "./errors.ts";
import { programName } from "./program-name.ts";
import { openDetachedOutput } from "./wire/detached-output.ts";
import { startDetached } from "./wire/detached-process.ts";
import { nameRun, type Place, stateRoot, storeIn } from "./wire/stores.ts";
import { randomBelow } from "./wire/system.ts";

/** A run that is to be driven by a process of its own. */
export interface DetachOptions extends Place {
  /** The run that is to go on; without it a new one begins. */
  readonly run?: string | undefined;
  /** The name of the new one; without it one is chosen. */
  readonly id?: string | undefined;
  /** How raymond is called to drive it: the program, and its arguments. */
  readonly command: readonly string[];
  /** All of its standard input; null: none. */
  readonly input: string | null;
}

/** How it has begun. */
export type Detached =
  | {
      readonly outcome: "started";
      readonly id: RunId;
      readonly pid: number;
      /** Where its output is. */
      readonly output: string;
      /** What it had to say until then: warnings. */
      readonly said: string;
      /** How the user calls raymond for this run. */
      readonly program: string;
    }
  /** It has not begun, and nothing stays: what it has said, and its exit code. */
  | { readonly outcome: "refused"; readonly code: number; readonly said: string };

/**
 * Starts a process that drives a run, in a session that no terminal can end. Resolves when the run is saved and its first
 * step is about to start, or when that could not be. Rejects with a RaymondError where there is no such run or no place.
 */
export async function detach(options: DetachOptions, caller: Caller): Promise<Detached> {
  const { stateDir, command, input } = options;
  const named = await place(options, caller);
  const output = await openDetachedOutput(named, caller);
  try {
    const begun = await startDetached({
      ...{ command, cwd: caller.cwd, input, output: output.descriptor },
      env: { ...caller.env, [DETACHED]: named.id },
    });
    if ("problem" in begun) {
      output.discard();
      throw new BackgroundStartError(begun.problem);
    }
    const said = output.said(begun.ok ? begun.printed : undefined);
    if (!begun.ok) {
      output.discard();
      return { outcome: "refused", code: begun.code ?? FAILED, said };
    }
    const program = named.program ?? programName({ stateDir });
    return { outcome: "started", id: named.id, pid: begun.pid, output: output.file, said, program };
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
  const root = await stateRoot({ stateDir }, caller);
  const id = wanted ?? newRunId(new Date(caller.now()), randomBelow);
  const problem = runIdProblem(id);
  if (problem !== null) throw new BadRunIdError(id, problem);
  return { id, root, store: await storeIn(root, caller), program: null };
}
