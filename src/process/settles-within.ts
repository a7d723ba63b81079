/**
 * Whether `event` settles within `ms`. Stops waiting when `hurry` aborts, but an event that has
 * already settled always counts. Cleans up its timer and listener. Uses plain timers, because every
 * script step waits here.
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
 * Whether `event` settles in the next turns of the event loop. After a block, Node runs timers
 * before it reads pending input.
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

/** To read a pipe, see its end and close it, plus one. */
const TURNS = 4;

/** Resolves after `ms`, or at once when `hurry` aborts. */
export async function pause(ms: number, hurry?: AbortSignal): Promise<void> {
  await settlesWithin(new Promise(() => undefined), ms, hurry);
}
