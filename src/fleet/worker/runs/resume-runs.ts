import type { Clock } from "../../../engine/ports/clock.ts";
import type { RunId } from "../../../machine/model/run-state.ts";
import type { Driving } from "../../../run/driving.ts";
import type { Semaphore } from "../../queue/admission/semaphore.ts";
import { onceStarted } from "../../queue/admission/start-limits.ts";
import type { ActiveRuns } from "./active-runs.ts";
import type { ClaimOutcome } from "./run-claimed.ts";

interface ResumerOptions {
  /** Runs a run until it stops; `key`: its DBOS workflow id. */
  readonly run: (id: RunId, key: string, driving: Driving) => Promise<ClaimOutcome>;
  /** Called when this worker no longer runs the run. */
  readonly leave: (id: RunId) => Promise<void>;
  /** Requeues a run that this worker cannot execute. */
  readonly requeue: (id: RunId, key: string, outcome: ClaimOutcome) => Promise<unknown>;
  /** One permit per concurrent run. */
  readonly slots: Semaphore;
  readonly startLimit: Semaphore;
  readonly activeRuns: ActiveRuns;
  readonly clock: Clock;
  readonly log: (line: string) => void;
  /** Saves are no longer possible. */
  readonly isClosed: () => boolean;
  /** Aborts when the worker shuts down. */
  readonly stopping: AbortSignal;
}

/**
 * Executes dispatched runs, and retries interrupted ones. Resolves with a description of the outcome. Once the
 * worker shuts down it never settles, so that DBOS keeps the run assigned to this machine.
 */
export function runResumer(options: ResumerOptions): (id: RunId, key: string) => Promise<string> {
  const { slots, stopping, leave } = options;
  return async (id, key) => {
    const release = await slots.acquire(stopping);
    if (release === null) return never();
    let outcome: string | null;
    try {
      outcome = await untilFinished(id, key, options);
    } finally {
      await leave(id);
      release();
    }
    return outcome ?? never();
  };
}

/** Pauses before an interrupted run is retried, ms. They grow, because each retry pays for its step again. */
const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 300_000;

/** Null if the worker shuts down first. */
async function untilFinished(
  id: RunId,
  key: string,
  options: ResumerOptions,
): Promise<string | null> {
  const { clock, log, requeue, isClosed, stopping } = options;
  for (let pause = FIRST_RETRY_MS; ; pause = Math.min(pause * 2, LAST_RETRY_MS)) {
    const outcome = await attempt(id, key, options);
    if (outcome === null || isClosed()) return null;
    const text = describe(outcome);
    log(`${id}: ${text}`);
    if (outcome.kind === "over" || outcome.kind === "none") return text;
    const isRequeued = outcome.kind !== "again" && (await succeeds(requeue(id, key, outcome)));
    if (isRequeued) return text;
    await clock.sleep(pause, stopping);
    if (isClosed()) return null;
  }
}

/** Null if the worker shuts down before the run starts. */
async function attempt(
  id: RunId,
  key: string,
  { run, startLimit, activeRuns, log, stopping }: ResumerOptions,
): Promise<ClaimOutcome | null> {
  const started = await startLimit.acquire(stopping);
  if (started === null) return null;
  log(`${id}: claimed`);
  const active = activeRuns.add(id);
  const driving = { control: active.control, watch: () => [onceStarted(started)] };
  return run(id, key, driving).finally(() => {
    started();
    activeRuns.remove(active);
  });
}

function describe(outcome: ClaimOutcome): string {
  switch (outcome.kind) {
    case "over":
      return outcome.status;
    case "none":
      return NOT_CLAIMED;
    case "again":
      return `interrupted, will be retried: ${outcome.why}`;
    case "newer":
      return `requeued for a worker with a newer raymond: ${outcome.why}`;
    case "no-client":
      return `requeued because the client of this machine does not work: ${outcome.why}`;
  }
}

/** The outcome of a dispatched run that this worker did not claim. */
export const NOT_CLAIMED = "not claimed";

function succeeds(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}
