/** Asks again every few milliseconds until there is an answer; rejects after `ms`. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  ms = 20_000,
): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > end) throw new Error(`Waited ${String(ms)} ms in vain for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
