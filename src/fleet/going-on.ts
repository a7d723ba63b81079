import type { RunId } from "../core/machine/run-state.ts";
import type { Clock } from "../ports/clock.ts";
import type { Driving } from "../runs/driving.ts";
import { whenBegun } from "./beginning.ts";
import type { RunsInHand } from "./runs-in-hand.ts";
import type { Slots } from "./slots.ts";
import type { Taken } from "./take.ts";
import type { Turns } from "./turns.ts";

interface GoingOn {
  /** Hears what this worker does not go on with any more. */
  readonly leave: (id: RunId) => Promise<void>;
  /** Goes on with a run by the name that DBOS calls it by; see `take.ts`. */
  readonly take: (id: RunId, name: string, driving: Driving) => Promise<Taken>;
  /** Leaves what this worker cannot run to another one. */
  readonly giveAway: (id: RunId, name: string, taken: Taken) => Promise<void>;
  readonly slots: Slots;
  /** In which they begin. */
  readonly turns: Turns;
  readonly inHand: RunsInHand;
  readonly clock: Clock;
  readonly tell: (line: string) => void;
  /** Nothing is saved any more. */
  readonly isShut: () => boolean;
  /** Aborts when the worker ends. */
  readonly over: AbortSignal;
}

/**
 * How a worker goes on with what it is handed: with so many runs at once, each until it ends, or is another's.
 * They begin in turns. Resolves with how it ended, and never once the worker ends: then its end is not ours to tell.
 */
export function goingOn(of: GoingOn): (id: RunId, name: string) => Promise<string> {
  const { take, slots, turns, inHand, clock, tell, isShut, over, leave } = of;
  return async (id, name) => {
    const free = await slots.take(over);
    try {
      for (let pause = AGAIN_MS; ; pause = Math.min(pause * 2, LONGEST_MS)) {
        const hasBegun = await turns.take();
        if (over.aborted) {
          hasBegun();
          break;
        }
        tell(`${id}: taken`);
        const mine = inHand.begin(id);
        const driving = { control: mine.control, watch: () => [whenBegun(hasBegun)] };
        const taken = await take(id, name, driving).finally(() => {
          hasBegun();
          inHand.end(mine);
        });
        if (isShut()) break;
        tell(`${id}: ${describe(taken)}`);
        if (taken.kind !== "again" && (await isLeft(taken, id, name, of))) return describe(taken);
        await clock.sleep(pause, over);
        if (isShut()) break;
      }
    } finally {
      await leave(id);
      free();
    }
    return new Promise(() => undefined);
  };
}

/** Until a run that was broken off is tried again, ms; then twice that, and so on: the step that was under way is paid for each time. */
const AGAIN_MS = 5_000;
const LONGEST_MS = 300_000;

/** Whether nothing is left to do here. */
async function isLeft(taken: Taken, id: RunId, name: string, { giveAway }: GoingOn) {
  if (taken.kind !== "newer" && taken.kind !== "no-client") return true;
  return giveAway(id, name, taken).then(
    () => true,
    () => false,
  );
}

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
    case "no-client":
      return `requeued, as the client of this machine does not work: ${taken.why}`;
  }
}
