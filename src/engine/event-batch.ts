import { advance, type Input } from "../machine/advance.ts";
import type { Event, RunUpdate } from "../machine/model/event.ts";
import type { RunState } from "../machine/model/run-state.ts";
import type { Observer } from "./ports/observer.ts";

/**
 * The inputs and events between two saves of a run, in order of arrival. An event that no input
 * produces is recorded as a count in the journal, because event numbers belong to the run. Adjacent
 * counts are merged.
 */
export class EventBatch {
  readonly #inputs: Input[] = [];
  readonly #events: Event[] = [];
  /** Number of the event before the first one of this batch. */
  #before: number;
  #run: RunState;
  #changed = false;

  /** `unrecorded`: number of events reported since the run was saved. */
  constructor(saved: RunState, unrecorded: number) {
    this.#run = saved;
    this.#before = saved.seq + unrecorded;
    this.#count(unrecorded);
  }

  /** The run after all inputs. */
  get run(): RunState {
    return this.#run;
  }

  get inputs(): readonly Input[] {
    return this.#inputs;
  }

  get eventCount(): number {
    return this.#events.length;
  }

  /** Whether the run must be saved. Reported events alone need no save. */
  get changed(): boolean {
    return this.#changed;
  }

  advance(input: Input): void {
    this.apply(input, advance(this.#run, input));
  }

  /** Applies an input whose result, computed on {@link run}, is already known. */
  apply(input: Input, [next, events]: RunUpdate): void {
    // Events lost in a crash are not a gap between the events of this batch.
    if (input.type === "resumed") this.#before = next.seq;
    this.#changed ||= next !== this.#run;
    this.#run = next;
    this.#inputs.push(input);
    this.#events.push(...events);
  }

  /** Reports events that the machine does not produce. */
  report(...events: readonly Event[]): void {
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
    [this.#run] = advance(this.#run, { type: "reported", count: events });
    const last = this.#inputs.at(-1);
    if (last?.type === "reported")
      this.#inputs[this.#inputs.length - 1] = { type: "reported", count: last.count + events };
    else this.#inputs.push({ type: "reported", count: events });
  }
}
