/** The slot of a dispatched run. */
export interface DispatchSlot {
  /** Acquires the slot again after {@link release}. False if no slot is free. */
  reserve(): boolean;
  /** Lets another run use the slot while this one waits. */
  release(): void;
  /** The run has ended here. */
  end(): void;
}

/**
 * Limits how many runs DBOS dispatches to a worker. All queues share its slots. Runs that wait for their
 * accounts hold no slot, so they do not block others.
 */
export class DispatchSlots {
  readonly #slots: number;
  readonly #dispatched = new Map<string | null, number>();
  #reserved = 0;

  constructor(slots: number) {
    this.#slots = slots;
  }

  /** Maximum number of dispatched runs of a queue, including those that it has now. */
  limitOf(queue: string): number {
    const free = Math.max(0, this.#slots - this.#reserved);
    return Math.min(this.#slots, (this.#dispatched.get(queue) ?? 0) + free);
  }

  /** Counts a dispatched run, which holds a slot. `queue`: null if unknown. */
  add(queue: string | null): DispatchSlot {
    this.#count(queue, 1);
    let reserved = true;
    this.#reserved += 1;
    const release = () => {
      if (reserved) this.#reserved -= 1;
      reserved = false;
    };
    return {
      release,
      reserve: () => {
        if (!reserved && this.#reserved < this.#slots) {
          reserved = true;
          this.#reserved += 1;
        }
        return reserved;
      },
      end: () => {
        release();
        this.#count(queue, -1);
      },
    };
  }

  #count(queue: string | null, change: 1 | -1): void {
    this.#dispatched.set(queue, (this.#dispatched.get(queue) ?? 0) + change);
  }
}
