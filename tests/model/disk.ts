import type { RunState } from "../../src/machine/model/run-state.ts";
import { checkRevision } from "../support/engine/memory-store.ts";
import type { Schedule } from "./schedule.ts";

/** Where a run is saved: slow, now and then full, and all that is left of raymond when it dies. */
export class Disk {
  readonly #schedule: Schedule;
  readonly #written: (before: RunState, after: RunState) => void;
  #run: RunState | null;
  #writing: RunState | null = null;
  /** The next save fails, and has or has not reached the disk. */
  failing: "before" | "after" | null = null;
  /** A save has failed. */
  failed = false;

  constructor(
    schedule: Schedule,
    run: RunState | null,
    written: (before: RunState, after: RunState) => void,
  ) {
    this.#schedule = schedule;
    this.#run = run;
    this.#written = written;
  }

  get writing(): boolean {
    return this.#writing !== null;
  }

  get run(): RunState | null {
    return this.#run;
  }

  async save(run: RunState, expected: number): Promise<void> {
    this.#writing = run;
    await this.#schedule.turn("save");
    if (this.#run !== null) checkRevision(this.#run, expected);
    const { failing } = this;
    this.failing = null;
    if (failing !== "before") this.#write(run);
    this.#writing = null;
    this.failed ||= failing !== null;
    if (failing !== null) throw new DiskFullError();
  }

  /** raymond dies: a save that was asked for has reached the disk, or has not. */
  die(luck: boolean): void {
    if (this.#writing !== null && luck) this.#write(this.#writing);
    this.#writing = null;
  }

  #write(run: RunState): void {
    const before = this.#run ?? run;
    this.#run = run;
    this.#written(before, run);
  }
}

class DiskFullError extends Error {
  constructor() {
    super("the disk is full");
  }
}
