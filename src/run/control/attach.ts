import type { RunSummary } from "../../engine/ports/store.ts";
import { logs, type RunLog } from "../../inspect/history/logs.ts";
import { list } from "../../inspect/list.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import type { Caller } from "../../wire/caller.ts";
import type { Place } from "../../wire/stores.ts";
import { type TerminalRequests, terminalRequests } from "../driving.ts";
import { runErrors } from "../errors.ts";

export interface AttachOptions extends Place {
  /** Default: the run in progress, or the last started run. */
  readonly run?: string | undefined;
  /** Maximum number of lines of its event log (default: all). */
  readonly last?: number | undefined;
}

/** A run of any process, for an observer. */
export interface Attached extends RunLog, TerminalRequests {
  /** The last saved state. Rejects with `run/gone` if the files were deleted. */
  readonly ended: () => Promise<RunState>;
}

/**
 * Attaches to a run of any process. Rejects with a RaymondError if the run does not exist, or if
 * none is named and several are in progress.
 */
export async function attach(options: AttachOptions, caller: Caller): Promise<Attached> {
  const { stateDir, last } = options;
  const run = options.run ?? (await onlyLiveRun(options, caller));
  const log = await logs({ stateDir, run, follow: true, last }, caller);
  return {
    ...log,
    ended: async () => {
      const left = await log.store.load(log.id);
      if (left === undefined) throw runErrors["run/gone"](log.id);
      return left;
    },
    ...terminalRequests(log, caller),
  };
}

async function onlyLiveRun(place: Place, caller: Caller): Promise<string> {
  const { runs } = await list(place, caller);
  const live = runs.filter(({ status }) => LIVE.has(status)).map(({ id }) => id);
  const [only, other] = live;
  if (only === undefined) return "latest";
  if (other !== undefined) throw runErrors["run/several-live"](live);
  return only;
}

/** A process drives it, or is about to. */
const LIVE: ReadonlySet<RunSummary["status"]> = new Set(["running", "waiting", "held", "queued"]);
