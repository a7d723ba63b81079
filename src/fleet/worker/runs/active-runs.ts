import type { Control } from "../../../engine/engine.ts";
import type { ControlRequest } from "../../../engine/ports/control-request.ts";
import type { RunId } from "../../../machine/run-state.ts";
import { requestDispatcher } from "../../../run/control/request-dispatcher.ts";

/** How a run that this worker goes on with is told what others wish. */
export interface ActiveRun {
  readonly control: Partial<Control>;
  /** Tells it. The second wish that it stops kills what is in flight. */
  readonly deliver: (request: ControlRequest) => void;
  interrupt(): void;
  kill(): void;
}

/** The runs that a worker goes on with, while it does: a run may be handed to it anew before it has let it go. */
export class ActiveRuns {
  readonly #runs = new Map<ActiveRun, RunId>();

  /** From now on it hears, until it is ended. */
  add(id: RunId): ActiveRun {
    const made = activeRun();
    this.#runs.set(made, id);
    return made;
  }

  remove(one: ActiveRun): void {
    this.#runs.delete(one);
  }

  of(id: RunId): readonly ActiveRun[] {
    return this.all.filter((one) => this.#runs.get(one) === id);
  }

  get ids(): readonly RunId[] {
    return [...new Set(this.#runs.values())];
  }

  get all(): readonly ActiveRun[] {
    return [...this.#runs.keys()];
  }
}

function activeRun(): ActiveRun {
  const interrupting = new AbortController();
  const killing = new AbortController();
  const { control, dispatch: hear } = requestDispatcher();
  const interrupt = () => {
    interrupting.abort("SIGTERM");
  };
  const kill = () => {
    interrupt();
    killing.abort("SIGTERM");
  };
  return {
    ...{ interrupt, kill },
    control: { ...control, interrupt: interrupting.signal, kill: killing.signal },
    deliver: (request) => {
      if (!("stop" in request) || request.stop === "after-steps") hear(request);
      else if (request.stop === "kill" || interrupting.signal.aborted) kill();
      else interrupt();
    },
  };
}
