import type { RunId } from "../core/machine/run-state.ts";
import type { Clock } from "../ports/clock.ts";
import { giveBack, markQueued } from "../stores/postgres/placed-runs.ts";
import { type Queues, readGoName } from "../stores/postgres/queues.ts";
import type { Host } from "./host.ts";
import type { RunsInHand } from "./runs-in-hand.ts";
import type { Slots } from "./slots.ts";
import { type Taken, take } from "./take.ts";

interface GoingOn {
  /** Hears what this worker does not go on with any more. */
  readonly leave: (id: RunId) => Promise<void>;
  readonly host: Host;
  readonly slots: Slots;
  readonly inHand: RunsInHand;
  readonly queues: Queues;
  readonly clock: Clock;
  readonly tell: (line: string) => void;
  /** Nothing is saved any more. */
  readonly isShut: () => boolean;
  /** Aborts when the worker ends. */
  readonly over: AbortSignal;
}

/**
 * How a worker goes on with what it is handed: with so many runs at once, each until it ends, or is another's.
 * Resolves with how it ended, and never once the worker ends: then its end is not ours to tell.
 */
export function goingOn(of: GoingOn): (id: RunId, name: string) => Promise<string> {
  const { host, slots, inHand, clock, tell, isShut, over, leave } = of;
  return async (id, name) => {
    const free = await slots.take(over);
    try {
      for (;;) {
        tell(`${id}: taken`);
        const mine = inHand.begin(id);
        const taken = await take(id, name, mine.control, host).finally(() => {
          inHand.end(mine);
        });
        if (isShut()) break;
        tell(`${id}: ${describe(taken)}`);
        if (taken.kind !== "again" && (await isLeft(taken, id, name, of))) return describe(taken);
        await clock.sleep(AGAIN_MS, over);
        if (isShut()) break;
      }
    } finally {
      await leave(id);
      free();
    }
    return new Promise(() => undefined);
  };
}

/** Until a run that was broken off is tried again, ms. */
const AGAIN_MS = 5_000;

/** Whether nothing is left to do here. What is of a newer raymond another worker may have in a while, and so may this one, once it is newer. */
async function isLeft(
  { kind }: Taken,
  id: RunId,
  name: string,
  { host: { database, caller }, queues }: GoingOn,
): Promise<boolean> {
  if (kind !== "newer") return true;
  const leave = async () => {
    const back = await giveBack(database, id, readGoName(name)?.go ?? 0);
    if (back === null) return;
    const { queued, only } = back;
    await queues.enqueue(id, queued, caller.now() + NEWER_MS * (0.5 + Math.random()), only);
    await markQueued(database, id, queued.go);
  };
  return leave().then(
    () => true,
    () => false,
  );
}

/** Until a run of a newer raymond is offered again, ms: workers of that one may be busy, or to come. */
const NEWER_MS = 30_000;

function describe(taken: Taken): string {
  switch (taken.kind) {
    case "over":
      return taken.status;
    case "none":
      return "not taken";
    case "again":
      return `broken off, and tried again: ${taken.why}`;
    case "newer":
      return `left to a worker of a newer raymond: ${taken.why}`;
  }
}
