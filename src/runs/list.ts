import type { RunSummary } from "../ports/store.ts";
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
  return { root, runs: await (await storeIn(root, caller)).list() };
}
