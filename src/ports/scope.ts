import type { StateName } from "../core/protocol/transition.ts";
import type { StateFile } from "../core/workflow/state-file.ts";

/**
 * Where a workflow's states are found. Read anew at each step: authors edit
 * while runs go on. Contract (`tests/contracts/scope.ts`): a name that is not
 * in `names()` cannot be loaded; nothing outside `dir` is ever read.
 */
export interface Scope {
  /** Absolute folder that holds the state files: `RAYMOND_STATE_DIR`. */
  readonly dir: string;
  /** The files ending in `.md`, `.sh`, `.bat` or `.ps1`, as the folder lists them, sorted. */
  names(): Promise<readonly StateName[]>;
  /**
   * A state as its author wrote it, with its places in the file that `source`
   * names. Rejects with a RaymondError when there is no such state, when it is a
   * link that leads out of the scope, is unreadable, or says what it may not.
   */
  load(name: StateName): Promise<StateFile>;
  /** Absolute path of a state's own file: what scripts are started by. */
  path(name: StateName): string;
  /** Absolute path of the file to mend, for messages: one file may hold many states. */
  source(name: StateName): string;
}
