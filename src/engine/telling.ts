import { advance, type Input } from "../core/machine/advance.ts";
import type { Advanced, Event } from "../core/machine/event.ts";
import type { RunState } from "../core/machine/run-state.ts";
import type { Observer } from "../ports/observer.ts";

/**
 * What leads from one save of a run to the next, and what there is to tell of
 * it: inputs and events in the order in which they came. An event that no input
 * tells is one itself, for its number is the run's; in the journal neighbours
 * are one count.
 */
export class Telling {
  readonly #inputs: Input[] = [];
  readonly #events: Event[] = [];
  /** Number of the event before the first of these. */
  #before: number;
  #run: RunState;
  #changed = false;

  /** `unrecorded`: how many events were told since the run was saved. */
  constructor(saved: RunState, unrecorded: number) {
    this.#run = saved;
    this.#before = saved.seq + unrecorded;
    this.#count(unrecorded);
  }

  /** The run as all inputs have left it. */
  get run(): RunState {
    return this.#run;
  }

  get inputs(): readonly Input[] {
    return this.#inputs;
  }

  /** How many events there are to tell. */
  get count(): number {
    return this.#events.length;
  }

  /** Whether there is anything to save: that something was told is no reason. */
  get changed(): boolean {
    return this.#changed;
  }

  advance(input: Input): void {
    this.take(input, advance(this.#run, input));
  }

  /** The same, for an input that was tried out on {@link run}. */
  take(input: Input, [next, events]: Advanced): void {
    // What a crash has left untold is no gap between the events of these inputs.
    if (input.type === "resumed") this.#before = next.seq;
    this.#changed ||= next !== this.#run;
    this.#run = next;
    this.#inputs.push(input);
    this.#events.push(...events);
  }

  /** Facts that the machine does not tell. */
  tell(...events: readonly Event[]): void {
    this.#events.push(...events);
    this.#count(events.length);
  }

  notify(observer: Observer, run: RunState): void {
    for (const [index, event] of this.#events.entries()) {
      observer.notify(event, run, this.#before + index + 1);
    }
  }

  #count(events: number): void {
    if (events === 0) return;
    [this.#run] = advance(this.#run, { type: "told", count: events });
    const last = this.#inputs.at(-1);
    if (last?.type === "told")
      this.#inputs[this.#inputs.length - 1] = { type: "told", count: last.count + events };
    else this.#inputs.push({ type: "told", count: events });
  }
}
