/**
 * Collects messages in order of arrival. The cost does not grow with the number of pending
 * promises, unlike `Promise.race`. A rejection is thrown by the next {@link Inbox.receive}.
 */
export class Inbox<T> {
  readonly #arrived: T[] = [];
  #failure: { readonly error: unknown } | null = null;
  #wake: (() => void) | null = null;

  deliver(item: T): void {
    this.#arrived.push(item);
    this.#wake?.();
  }

  expect(promise: Promise<T>): void {
    promise.then(
      (value) => {
        this.deliver(value);
      },
      (error: unknown) => {
        this.#failure ??= { error };
        this.#wake?.();
      },
    );
  }

  /** All messages since the last call, possibly none. */
  drain(): readonly T[] {
    return this.#arrived.splice(0);
  }

  /** All messages since the last call; waits for the first one. */
  async receive(): Promise<readonly T[]> {
    if (this.#arrived.length === 0 && this.#failure === null) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
    if (this.#failure !== null) throw this.#failure.error;
    return this.drain();
  }
}
