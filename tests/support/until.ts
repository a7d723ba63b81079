/**
 * How long a test waits for what must come, ms: a machine that is busy with
 * other things is no reason to fail, so this is only for what never comes.
 */
export const MOST_MS = 200_000;

/** Asks again every few milliseconds until there is an answer; rejects after `ms`. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  ms = MOST_MS,
): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > end) throw new Error(`Waited ${String(ms)} ms in vain for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
