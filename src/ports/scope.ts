import type { StateName } from "../core/protocol/transition.ts";

/**
 * Where a workflow's states are found. Read anew at each step: authors edit
 * while runs go on. Contract (`tests/contracts/scope.ts`): a name that is not
 * in `names()` cannot be read; nothing outside `dir` is ever read.
 */
export interface Scope {
  /** Absolute folder that holds the state files: `RAYMOND_STATE_DIR`. */
  readonly dir: string;
  /** The files ending in `.md`, `.sh`, `.bat` or `.ps1`, as the folder lists them, sorted. */
  names(): Promise<readonly StateName[]>;
  /**
   * The text of a state (UTF-8). Rejects with a RaymondError when there is no
   * such file, when it is a link that leads out of the scope, or is unreadable.
   */
  read(name: StateName): Promise<string>;
  /** Absolute path of a state file, for scripts and for messages. */
  path(name: StateName): string;
}
