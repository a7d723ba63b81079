import type { Store } from "../engine/ports/store.ts";
import type { RunId, RunState } from "../machine/run-state.ts";
import { storageErrors } from "../storage/errors.ts";

/** A run that must be there. */
export async function loadNamed(store: Pick<Store, "load">, id: RunId): Promise<RunState> {
  const run = await store.load(id);
  if (run === undefined) throw storageErrors["store/unknown-run"](id);
  return run;
}
