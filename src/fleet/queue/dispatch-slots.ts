/** A run that a worker was handed, until it is over there. */
export interface DispatchSlot {
  /** Whether it has one of the slots from now on, as it has when it was handed. */
  reserve(): boolean;
  /** It waits, and another may have its slot. */
  release(): void;
  end(): void;
}

/**
 * What a worker was handed, from all its queues. They share its slots: of each it may be handed what is free
 * of them now. What waits for its account holds no slot, and so keeps nothing else from being taken.
 */
export class DispatchSlots {
  readonly #slots: number;
  readonly #handed = new Map<string | null, number>();
  #reserved = 0;

  constructor(slots: number) {
    this.#slots = slots;
  }

  /** So many runs of a queue it may have, with those that it has. */
  limitOf(queue: string): number {
    const free = Math.max(0, this.#slots - this.#reserved);
    return Math.min(this.#slots, (this.#handed.get(queue) ?? 0) + free);
  }

  /** One more was handed out. `queue`: where it comes from; null: nobody has said it. */
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
    this.#handed.set(queue, (this.#handed.get(queue) ?? 0) + change);
  }
}
