import { setTimeout as delay } from "node:timers/promises";
import type { ControlRequest } from "../../engine/ports/control-request.ts";
import type { LockHolder, Store } from "../../engine/ports/store.ts";
import { RaymondError } from "../../language/basics/errors.ts";
import type { RunId, RunState } from "../../machine/model/run-state.ts";
import { wireErrors } from "../../wire/errors.ts";
import type { RunSource } from "../../wire/run-source.ts";
import { loadNamed } from "../../wire/stores.ts";
import { refuseCopy } from "../record-input.ts";

/*
 * How a command sends a request to the process that drives a run:
 *
 * R1  A request is addressed to one lock, by its holder. A holder of a later lock discards it:
 *     a request never outlives the process that it was sent to.
 * R2  A request carries nothing that must survive. An answer, for example, is stored before the
 *     request is sent, and the next holder of the run finds it.
 * R3  The sender observes the reaction in the state file, and withdraws its request when it
 *     stops waiting.
 */

/** How the process that holds a run reacted to requests. */
export interface Reaction {
  readonly holder: LockHolder;
  /** False: it did not react within 5 seconds. */
  readonly reacted: boolean;
}

export interface Asking {
  /** Whether the run shows that its holder has acted on the requests. */
  readonly reacted: (run: RunState) => boolean;
  /** Also wait for a reaction if the holder cannot be signalled from here: it polls. */
  readonly polls?: boolean | undefined;
}

/**
 * Sends requests to the process that holds a run, and waits up to 5 seconds for its reaction.
 * Resolves with null if no process holds the run, or the process dies. Rejects with
 * `run/out-of-reach` if it cannot be signalled from here.
 */
export async function request(
  source: RunSource,
  id: RunId,
  requests: readonly ControlRequest[],
  asking: Asking,
): Promise<Reaction | null> {
  refuseCopy(await loadNamed(source, id), source);
  for (;;) {
    const holder = await source.holder(id);
    if (holder === null) return null;
    const reacted = await requestOf(holder, source, id, requests, asking);
    if (reacted !== null) return { holder, reacted };
  }
}

/** Null: that process no longer holds the run. */
async function requestOf(
  holder: LockHolder,
  source: RunSource,
  id: RunId,
  requests: readonly ControlRequest[],
  { reacted, polls = false }: Asking,
): Promise<boolean | null> {
  const withdrawals: (() => Promise<boolean>)[] = [];
  try {
    for (const each of requests) {
      const withdraw = await sendRequest(source, id, holder, each).catch((error: unknown) => {
        if (polls && isOutOfReach(error)) return () => Promise.resolve(true);
        throw error;
      });
      if (withdraw === null) return null;
      withdrawals.push(withdraw);
    }
    for (const start = performance.now(); performance.now() - start < REACTION_MS; ) {
      // In this order: a holder that reacted and then released the lock has reacted.
      const holds = await stillHolds(source, id, holder);
      if (reacted(await loadNamed(source, id))) return true;
      if (!holds) return null;
      await delay(POLL_MS);
    }
    return false;
  } finally {
    await Promise.all(withdrawals.map((withdraw) => withdraw()));
  }
}

function isOutOfReach(error: unknown): boolean {
  return error instanceof RaymondError && error.code === "run/out-of-reach";
}

const REACTION_MS = 5_000;
const POLL_MS = 50;

/**
 * Sends a request to the process that holds the run, if it still is `holder`. Resolves with a function that
 * withdraws it, and returns whether the holder had not received it; null if that process no longer holds the run.
 */
export async function sendRequest(
  source: Pick<RunSource, "holder" | "sendRequest">,
  id: RunId,
  holder: LockHolder,
  request: ControlRequest,
): Promise<(() => Promise<boolean>) | null> {
  if (!holder.visible) throw wireErrors["run/out-of-reach"](id, holder, "elsewhere");
  return (await stillHolds(source, id, holder)) ? source.sendRequest(id, holder, request) : null;
}

/** Whether the process releases the run within `ms`, or dies. */
export async function isFreeWithin(
  source: Pick<Store, "holder">,
  id: RunId,
  holder: LockHolder,
  ms: number,
): Promise<boolean> {
  const until = performance.now() + ms;
  for (let poll = FIRST_POLL_MS; ; poll = Math.min(2 * poll, LONGEST_POLL_MS)) {
    if (!(await stillHolds(source, id, holder))) return true;
    const left = until - performance.now();
    if (left <= 0) return false;
    await delay(Math.min(poll, left));
  }
}

const FIRST_POLL_MS = 20;
const LONGEST_POLL_MS = 200;

/** Whether the process holds the run by the same lock as before. */
async function stillHolds(
  source: Pick<Store, "holder">,
  id: RunId,
  holder: LockHolder,
): Promise<boolean> {
  const now = await source.holder(id);
  return now?.pid === holder.pid && now.startedAt === holder.startedAt;
}
