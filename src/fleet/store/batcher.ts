import { RaymondError } from "../../language/basics/errors.ts";

/**
 * Sends single requests immediately, and combines requests that arrive while others are in
 * flight. So the batch size grows with the load, without timers. If a batch fails, each item is
 * retried alone, so that no item fails because of another. `ask` returns the answers in order.
 * `weigh`: the share of an item in the maximum batch size.
 */
export function batcher<Item, Answer>(
  ask: (items: readonly Item[]) => Promise<readonly Answer[]>,
  weigh: (item: Item) => number = () => 0,
): (item: Item) => Promise<Answer> {
  let waiting: Waiting<Item, Answer>[] = [];
  let inFlight = 0;

  const settle = async (batch: readonly Waiting<Item, Answer>[]): Promise<void> => {
    try {
      const answers = await ask(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, at) => {
        resolve(answers[at] as Answer);
      });
    } catch (error) {
      // A RaymondError is a problem of the database, which applies to every item.
      if (batch.length === 1 || error instanceof RaymondError)
        for (const { reject } of batch) reject(error);
      else void Promise.all(batch.map((each) => settle([each])));
    }
  };
  const go = (): void => {
    while (waiting.length > 0 && inFlight < MAX_IN_FLIGHT) {
      const count = fitting(waiting, ({ item }) => weigh(item));
      const batch = waiting.slice(0, count);
      waiting = waiting.slice(count);
      inFlight += 1;
      void settle(batch).finally(() => {
        inFlight -= 1;
        go();
      });
    }
  };
  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      go();
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
function fitting<Each>(all: readonly Each[], weigh: (each: Each) => number): number {
  let weight = 0;
  const beyond = all.findIndex((each, at) => {
    weight += weigh(each);
    return at > 0 && (at >= MAX_BATCH || weight > 1);
  });
  return beyond === -1 ? all.length : beyond;
}
