import type { RunState } from "../core/machine/run-state.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import type { LockHolder, RunSummary } from "../ports/store.ts";
import { answerHere } from "./answer.ts";
import { RunGoneError, SeveralLiveRunsError } from "./attach-errors.ts";
import { type Caller, thisProcess } from "./caller.ts";
import type { Facts } from "./driving.ts";
import { list } from "./list.ts";
import { loadNamed } from "./load-named.ts";
import { type LogPiece, logs } from "./logs.ts";
import { retryNamed } from "./retry-now.ts";
import { stopNamed } from "./stop-after-steps.ts";
import { nameRun, type Place } from "./wire/stores.ts";

/** A run that is to be watched. */
export interface AttachOptions extends Place {
  /** Without it the one that goes on; where none does, the one that was started last. */
  readonly run?: string | undefined;
  /** So many lines of its event log, the last ones; without it all. */
  readonly last?: number | undefined;
}

/** A run of whatever process, as whoever watches it needs it. It is only read, until one of its functions is called. */
export interface Attached
  extends Pick<Facts, "id" | "program" | "answer" | "retryNow" | "stopAfterSteps"> {
  readonly run: RunState;
  /** Who holds it; null where nobody does. */
  readonly holder: LockHolder | null;
  readonly artifacts: Pick<Artifacts, "debug">;
  /** What was told, and what is told from now on, until nobody holds it any more. */
  readonly pieces: AsyncIterable<LogPiece>;
  /** The run as it was left. Rejects with a {@link RunGoneError} where its files are gone. */
  readonly ended: () => Promise<RunState>;
}

/**
 * Watches a run of any process, as often and from as many places as one likes. Rejects with a RaymondError where there
 * is no such run, or none is named and several go on.
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
      if (left === undefined) throw new RunGoneError(id);
      return left;
    },
    answer: (agent, text) => answerHere(named, agent, text, caller),
    retryNow: () => retryNamed(named, caller),
    stopAfterSteps: () => stopNamed(named),
  };
}

async function theLiveOne(place: Place, caller: Caller): Promise<string> {
  const { runs } = await list(place, caller);
  const live = runs.filter(({ status }) => LIVE.has(status)).map(({ id }) => id);
  const [only, other] = live;
  if (only === undefined) return "latest";
  if (other !== undefined) throw new SeveralLiveRunsError(live);
  return only;
}

/** Somebody goes on with such a run, or may do so. */
const LIVE: ReadonlySet<RunSummary["status"]> = new Set(["running", "waiting", "held", "queued"]);
