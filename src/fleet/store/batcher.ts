import { setTimeout as delay } from "node:timers/promises";
import { RaymondError } from "../../language/basics/errors.ts";

export interface BatcherOptions<Item> {
  /** The share of an item in the maximum batch size. */
  readonly weigh?: ((item: Item) => number) | undefined;
  /**
   * For polls: sends one batch at a time, at least `everyMs` after the last one, or `afterFailureMs` after
   * a failed one. A batch has any size.
   */
  readonly pause?: { readonly everyMs: number; readonly afterFailureMs: number };
}

/**
 * Sends single requests immediately, and combines requests that arrive while others are in
 * flight. So the batch size grows with the load, without timers. If a batch fails, each item is
 * retried alone, so that no item fails because of another. `ask` returns the answers in order.
 */
export function batcher<Item, Answer>(
  ask: (items: readonly Item[]) => Promise<readonly Answer[]>,
  { weigh = () => 0, pause }: BatcherOptions<Item> = {},
): (item: Item) => Promise<Answer> {
  let waiting: Waiting<Item, Answer>[] = [];
  let inFlight = 0;
  let nextAt = 0;

  const settle = async (batch: readonly Waiting<Item, Answer>[]): Promise<void> => {
    try {
      const answers = await ask(batch.map(({ item }) => item));
      nextAt = performance.now() + (pause?.everyMs ?? 0);
      batch.forEach(({ resolve }, at) => {
        resolve(answers[at] as Answer);
      });
    } catch (error) {
      nextAt = performance.now() + (pause?.afterFailureMs ?? 0);
      // A RaymondError is a problem of the database, which applies to every item.
      if (batch.length === 1 || error instanceof RaymondError)
        for (const { reject } of batch) reject(error);
      else void Promise.all(batch.map((each) => settle([each])));
    }
  };
  const sendNext = async (): Promise<void> => {
    if (pause !== undefined) await delay(Math.max(0, nextAt - performance.now()));
    const count = pause === undefined ? fitting(waiting, weigh) : waiting.length;
    const batch = waiting.slice(0, count);
    waiting = waiting.slice(count);
    await settle(batch);
  };
  const send = (): void => {
    while (waiting.length > 0 && inFlight < (pause === undefined ? MAX_IN_FLIGHT : 1)) {
      inFlight += 1;
      void sendNext().finally(() => {
        inFlight -= 1;
        send();
      });
    }
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      send();
    });
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/** Two, so that one travels while the other executes. With more there would be no batches. */
const MAX_IN_FLIGHT = 2;
const MAX_BATCH = 100;

/** The number of leading items that fit into a batch, at least one. */
function fitting<Item>(
  all: readonly { readonly item: Item }[],
  weigh: (item: Item) => number,
): number {
  let weight = 0;
  const beyond = all.findIndex(({ item }, at) => {
    weight += weigh(item);
    return at > 0 && (at >= MAX_BATCH || weight > 1);
  });
  return beyond === -1 ? all.length : beyond;
}
