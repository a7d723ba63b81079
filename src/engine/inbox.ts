/**
 * Collects what arrives, in the order of arriving, at a cost that does not grow
 * with how many promises are pending (racing them all again for each arrival
 * would). A rejection is handed to the next {@link Inbox.take}.
 */
export class Inbox<T> {
  readonly #arrived: T[] = [];
  #failure: { readonly error: unknown } | null = null;
  #wake: (() => void) | null = null;

  deliver(item: T): void {
    this.#arrived.push(item);
    this.#wake?.();
  }

  /** Delivers the promise's value when it settles. */
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

  /** All that has arrived since the last call, which may be nothing. */
  arrived(): readonly T[] {
    return this.#arrived.splice(0);
  }

  /** All that has arrived since the last call; waits for the first if there is none. */
  async take(): Promise<readonly T[]> {
    if (this.#arrived.length === 0 && this.#failure === null) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
    if (this.#failure !== null) throw this.#failure.error;
    return this.arrived();
  }
}
