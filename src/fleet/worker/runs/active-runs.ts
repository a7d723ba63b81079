import type { Control } from "../../../engine/engine.ts";
import type { ControlRequest } from "../../../engine/ports/control-request.ts";
import type { RunId } from "../../../machine/model/run-state.ts";
import { requestDispatcher } from "../../../run/control/request-dispatcher.ts";

export class ActiveRun {
  readonly id: RunId;
  readonly control: Partial<Control>;
  readonly #interrupt = new AbortController();
  readonly #kill = new AbortController();
  readonly #dispatch: (request: ControlRequest) => void;

  constructor(id: RunId) {
    const { control, dispatch } = requestDispatcher();
    this.id = id;
    this.#dispatch = dispatch;
    this.control = { ...control, interrupt: this.#interrupt.signal, kill: this.#kill.signal };
  }

  /** A second request to interrupt kills the steps in flight. */
  deliver(request: ControlRequest): void {
    // Records who stops it. The signals below are not requests.
    this.#dispatch(request);
    if (!("stop" in request) || request.stop === "after-steps") return;
    if (request.stop === "kill" || this.#interrupt.signal.aborted) this.kill();
    else this.interrupt();
  }

  interrupt(): void {
    this.#interrupt.abort("SIGTERM");
  }

  kill(): void {
    this.interrupt();
    this.#kill.abort("SIGTERM");
  }
}

/** The runs that a worker executes. A run can be dispatched again before its last execution has ended. */
export class ActiveRuns {
  readonly #runs = new Set<ActiveRun>();

  add(id: RunId): ActiveRun {
    const run = new ActiveRun(id);
    this.#runs.add(run);
    return run;
  }

  remove(run: ActiveRun): void {
    this.#runs.delete(run);
  }

  of(id: RunId): readonly ActiveRun[] {
    return this.all.filter((run) => run.id === id);
  }

  get ids(): readonly RunId[] {
    return [...new Set(this.all.map(({ id }) => id))];
  }

  get all(): readonly ActiveRun[] {
    return [...this.#runs];
  }
}
