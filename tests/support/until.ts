/**
 * Maximum time to wait for an event that must happen, ms: shorter than the timeout of a test, so that the error
 * names the event. The chaos tests, which overload the machine, set a longer one.
 */
export const WAIT_MS = Number(process.env["RAYMOND_TEST_WAIT_MS"] ?? 50_000);

/** Polls until `ask` returns a value. Rejects after `ms`. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  ms = WAIT_MS,
): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > end)
      throw new Error(`Timed out after ${String(ms)} ms waiting for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
}
