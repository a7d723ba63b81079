import type { RunId, RunState } from "../core/machine/run-state.ts";
import type { Store } from "../ports/store.ts";
import { UnknownRunError } from "../stores/errors.ts";

/** A run that must be there. */
export async function loadNamed(store: Pick<Store, "load">, id: RunId): Promise<RunState> {
  const run = await store.load(id);
  if (run === undefined) throw new UnknownRunError(id);
  return run;
}
