import type { StateName } from "../../language/protocol/transition.ts";
import type { StateFile } from "../../language/workflow/files/state-file.ts";
import type { JsonSchema } from "../../language/workflow/named-schemas.ts";

/**
 * The states of a workflow. Read again at each step, because authors edit while runs are active.
 * Contract (`tests/contracts/scope.ts`): a name that is not in `names()` cannot be loaded; nothing
 * outside `dir` is ever read.
 */
export interface Scope {
  /** Absolute folder that holds the state files: `RAYMOND_STATE_DIR`. */
  readonly dir: string;
  /** The files ending in `.md`, `.sh`, `.bat` or `.ps1`, sorted. */
  names(): Promise<readonly StateName[]>;
  /**
   * Parses a state; positions refer to the file `source`. Rejects with a RaymondError if the state
   * does not exist, is unreadable or invalid, or is a link out of the scope.
   */
  load(name: StateName): Promise<StateFile>;
  /** The files ending in `.schema.json`, sorted. */
  schemas(): Promise<readonly string[]>;
  /**
   * Compiles a schema. Rejects with a RaymondError that names the line if it does not exist, is
   * unreadable or invalid, or is a link out of the scope.
   */
  schema(name: string): Promise<JsonSchema>;
  /** Absolute path of a state's own file, from which scripts are started. */
  path(name: StateName): string;
  /**
   * Absolute path of the file to edit, for messages about a state or a schema: one file may contain
   * all.
   */
  source(name: string): string;
}

/** Reads the states of a workflow. `workflow`: its name in messages. */
export interface OutlineSource
  extends Pick<Scope, "names" | "load" | "source" | "schemas" | "schema"> {
  readonly workflow: string;
}
