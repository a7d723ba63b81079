/**
 * Whether `event` comes within `ms`. Gives up at once when `hurry` aborts, but
 * an event that is there already always counts. Leaves neither timer nor
 * listener behind. Plain timers, for this is on the way of every script step.
 */
export function settlesWithin(
  event: Promise<unknown>,
  ms: number,
  hurry?: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    const finish = (came: boolean): void => {
      clearTimeout(timer);
      hurry?.removeEventListener("abort", giveUp);
      resolve(came);
    };
    const giveUp = (): void => {
      finish(false);
    };
    const timer = setTimeout(giveUp, hurry?.aborted === true ? 0 : ms);
    hurry?.addEventListener("abort", giveUp);
    const came = (): void => {
      finish(true);
    };
    event.then(came, came);
  });
}

/**
 * Whether `event` comes in the next turns of the event loop. One that was held
 * up runs its timers before it reads what has come meanwhile.
 */
export async function settlesNext(event: Promise<unknown>): Promise<boolean> {
  let has = false;
  const came = (): void => {
    has = true;
  };
  event.then(came, came);
  for (let turn = 0; turn < TURNS; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  return has;
}

/** To read what a pipe holds, to see its end, and to close it; and one more. */
const TURNS = 4;

/** Resolves after `ms`, or at once when `hurry` aborts. */
export async function pause(ms: number, hurry?: AbortSignal): Promise<void> {
  await settlesWithin(new Promise(() => undefined), ms, hurry);
}
