import type { Executor } from "../../engine/ports/executor.ts";
import type { Caller } from "../caller.ts";

/** How the prompts of a run are answered, where that is not all as its scripts are run. */
export interface Prompting {
  /** What the client finds in its environment and no script does; undefined: it does not find that. */
  readonly env: Caller["env"];
  /**
   * The client of this machine, in place of the one in the run's settings; null: that of the run.
   */
  readonly client?: string | null;
  /** Wraps the executor of its prompts. */
  readonly around?: ((executor: Executor) => Executor) | undefined;
}

/** The environment of the client, before what is never inherited is taken out. */
export function clientEnvironment(
  { env }: Pick<Caller, "env">,
  prompting?: Prompting,
): Caller["env"] {
  return prompting === undefined ? env : { ...env, ...prompting.env };
}
