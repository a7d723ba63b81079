import { RaymondError } from "../../core/errors.ts";

/**
 * Asks at once where little is asked; what comes while questions are under way goes together as the
 * next one. So the more there is to ask, the fewer questions are made of it, and nothing waits for a
 * timer. Where a question for many fails, each is asked for alone: none pays for another.
 * `ask`: the answers in the order of what was asked. `weigh`: which part it is of the most that may be asked at once.
 */
export function together<Item, Answer>(
  ask: (items: readonly Item[]) => Promise<readonly Answer[]>,
  weigh: (item: Item) => number = () => 0,
): (item: Item) => Promise<Answer> {
  let waiting: Waiting<Item, Answer>[] = [];
  let flying = 0;

  const settle = async (batch: readonly Waiting<Item, Answer>[]): Promise<void> => {
    try {
      const answers = await ask(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, at) => {
        resolve(answers[at] as Answer);
      });
    } catch (error) {
      // What is no fault of what was asked, but the database itself, is so of each.
      if (batch.length === 1 || error instanceof RaymondError)
        for (const { reject } of batch) reject(error);
      else void Promise.all(batch.map((each) => settle([each])));
    }
  };
  const go = (): void => {
    while (waiting.length > 0 && flying < MOST_FLYING) {
      const count = fitting(waiting, ({ item }) => weigh(item));
      const batch = waiting.slice(0, count);
      waiting = waiting.slice(count);
      flying += 1;
      void settle(batch).finally(() => {
        flying -= 1;
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

/** Questions at once. With one more, one of them is on its way while the other is answered; with many there would be no batches. */
const MOST_FLYING = 2;
/** So many in a batch. */
const MOST_AT_ONCE = 100;

/** How many of the first make a batch: one at least. */
function fitting<Each>(all: readonly Each[], weigh: (each: Each) => number): number {
  let weight = 0;
  const beyond = all.findIndex((each, at) => {
    weight += weigh(each);
    return at > 0 && (at >= MOST_AT_ONCE || weight > 1);
  });
  return beyond === -1 ? all.length : beyond;
}
