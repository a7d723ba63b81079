import type { RunId } from "../core/machine/run-state.ts";
import { asQueued, type Expected, type RunSummary } from "../ports/store.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { type Place, stateRoot, storeIn } from "./wire/stores.ts";

/** The runs of one folder. */
export interface RunList {
  /** The folder (`.raymond`) that holds them. */
  readonly root: string;
  /** The last started first. One that cannot be read is `unreadable`. */
  readonly runs: readonly RunSummary[];
}

/** The runs of this project, or of another folder. */
export async function list(place: Place = {}, caller: Caller = thisProcess()): Promise<RunList> {
  const root = await stateRoot(place, caller);
  const store = await storeIn(root, caller);
  const [runs, expected] = await Promise.all([store.list(), store.remote?.expected()]);
  return {
    root,
    runs: runs.map((run) => asExpected(run, expected)),
  };
}

/** A run that nobody holds is queued where a worker of its fleet is to take it. */
export function asExpected(
  run: RunSummary,
  expected: ReadonlyMap<RunId, Expected> | undefined,
): RunSummary {
  const found = run.holder === null ? expected?.get(run.id) : undefined;
  return found === undefined ? run : asQueued(run, found);
}
