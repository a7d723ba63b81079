import type { RunId } from "../core/machine/run-state.ts";
import type { Control } from "../engine/engine.ts";
import type { ControlRequest } from "../ports/control-request.ts";
import { nudging } from "../runs/nudges.ts";

/** How a run that this worker goes on with is told what others wish. */
export interface InHand {
  readonly control: Partial<Control>;
  /** Tells it. The second wish that it stops kills what is in flight. */
  readonly hear: (request: ControlRequest) => void;
  interrupt(): void;
  kill(): void;
}

/** The runs that a worker goes on with, while it does: a run may be handed to it anew before it has let it go. */
export class RunsInHand {
  readonly #runs = new Map<InHand, RunId>();

  /** From now on it hears, until it is ended. */
  begin(id: RunId): InHand {
    const made = inHand();
    this.#runs.set(made, id);
    return made;
  }

  end(one: InHand): void {
    this.#runs.delete(one);
  }

  of(id: RunId): readonly InHand[] {
    return this.all.filter((one) => this.#runs.get(one) === id);
  }

  get ids(): readonly RunId[] {
    return [...new Set(this.#runs.values())];
  }

  get all(): readonly InHand[] {
    return [...this.#runs.keys()];
  }
}

function inHand(): InHand {
  const interrupting = new AbortController();
  const killing = new AbortController();
  const { control, hear } = nudging();
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
    hear: (wish) => {
      if (!("stop" in wish) || wish.stop === "after-steps") hear(wish);
      else if (wish.stop === "kill" || interrupting.signal.aborted) kill();
      else interrupt();
    },
  };
}
