import type { Artifacts } from "../../engine/ports/artifacts.ts";
import type { LockHolder, RunSummary } from "../../engine/ports/store.ts";
import { type LogPiece, logs } from "../../inspect/history/logs.ts";
import { list } from "../../inspect/list.ts";
import type { RunId, RunState } from "../../machine/run-state.ts";
import { type Caller, thisProcess } from "../../wire/caller.ts";
import { loadNamed, nameRun, type Place } from "../../wire/stores.ts";
import { type TerminalRequests, terminalRequests } from "../driving.ts";
import { runErrors } from "../errors.ts";

export interface AttachOptions extends Place {
  /** Default: the run in progress, or the last started run. */
  readonly run?: string | undefined;
  /** Maximum number of lines of its event log (default: all). */
  readonly last?: number | undefined;
}

/** A run of any process, for an observer. */
export interface Attached extends TerminalRequests {
  readonly id: RunId;
  readonly program: string;
  readonly run: RunState;
  /** Null if no process drives it. */
  readonly holder: LockHolder | null;
  readonly artifacts: Pick<Artifacts, "debug">;
  /** Past and new events, until no process holds the run. */
  readonly pieces: AsyncIterable<LogPiece>;
  /** The last saved state. Rejects with `run/gone` if the files were deleted. */
  readonly ended: () => Promise<RunState>;
}

/**
 * Attaches to a run of any process. Rejects with a RaymondError if the run does not exist, or if
 * none is named and several are in progress.
 */
export async function attach(
  options: AttachOptions,
  caller: Caller = thisProcess(),
): Promise<Attached> {
  const { stateDir, last } = options;
  const wanted = { stateDir, run: options.run ?? (await theLiveOne(options, caller)) };
  const named = await nameRun(wanted, caller);
  const { id, store, program } = named;
  const run = await loadNamed(store, id);
  const { artifacts, pieces } = await logs({ ...wanted, follow: true, last }, caller);
  return {
    ...{ id, program, run, artifacts, pieces },
    holder: await store.holder(id),
    ended: async () => {
      const left = await store.load(id);
      if (left === undefined) throw runErrors["run/gone"](id);
      return left;
    },
    ...terminalRequests(named, caller),
  };
}

async function theLiveOne(place: Place, caller: Caller): Promise<string> {
  const { runs } = await list(place, caller);
  const live = runs.filter(({ status }) => LIVE.has(status)).map(({ id }) => id);
  const [only, other] = live;
  if (only === undefined) return "latest";
  if (other !== undefined) throw runErrors["run/several-live"](live);
  return only;
}

/** A process drives it, or is about to. */
const LIVE: ReadonlySet<RunSummary["status"]> = new Set(["running", "waiting", "held", "queued"]);
