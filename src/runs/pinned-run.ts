import type { Caller } from "./caller.ts";
import { type NamedRun, nameRun, stateRoot, type Wanted } from "./wire/stores.ts";

/** A run, and a name of it that stays its own: `latest` is another one tomorrow. */
export interface PinnedRun extends NamedRun {
  readonly named: Wanted;
}

/** Any way to name a run → the run with such a name. Rejects as `nameRun` does. */
export async function pinRun(wanted: Wanted, caller: Caller): Promise<PinnedRun> {
  const named = await nameRun(wanted, caller);
  const { stateDir } = wanted;
  // A path may have led to another project.
  const isHere = (await stateRoot({ stateDir }, caller)) === named.root;
  return { ...named, named: { run: named.id, stateDir: isHere ? stateDir : named.root } };
}
