/**
 * Maximum time to wait for an event that must happen, ms: shorter than the timeout of a test, so that the error
 * names the event. The chaos tests, which overload the machine, set a longer one.
 */
export const WAIT_MS = Number(process.env["RAYMOND_TEST_WAIT_MS"] ?? 50_000);

/**
 * Polls until `ask` returns a value. Rejects after `ms`. Pauses for as long as `ask` has taken, so that a question to
 * a process leaves time to the processes it waits for.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  ms = WAIT_MS,
): Promise<T> {
  const end = performance.now() + ms;
  for (;;) {
    const asked = performance.now();
    const answer = await ask();
    if (answer !== undefined) return answer;
    const now = performance.now();
    if (now > end) throw new Error(`Timed out after ${String(ms)} ms waiting for ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, Math.max(15, now - asked)));
  }
}
