import type { AgentId } from "../core/machine/agent.ts";
import type { RunId } from "../core/machine/run-state.ts";
import type { StateName } from "../core/protocol/transition.ts";
import type { Control } from "../engine/engine.ts";
import type { Clock } from "../ports/clock.ts";
import type { Observer } from "../ports/observer.ts";
import type { Answered } from "./answer.ts";
import type { Retried } from "./retry-now.ts";
import type { Stopping } from "./stop-after-steps.ts";

/** What whoever watches a run may want to know of how it is driven. */
export interface Facts {
  readonly id: RunId;
  /** How the user calls raymond for this run. */
  readonly program: string;
  /** The time of its events. */
  readonly clock: Pick<Clock, "now" | "sleep">;
  /** The launch folder. */
  readonly cwd: string;
  /** The debug file that tells most of the last attempt of an agent; null where there is none. */
  readonly debugFile: (agent: AgentId) => string | null;
  /** Answers what an agent asks, for whoever sits here. Rejects as `answer` does. */
  readonly answer: (agent: AgentId, text: string) => Promise<Answered>;
  /** Lets it try again now, for whoever sits here. Rejects as `retryNow` does. */
  readonly retryNow: () => Promise<Retried>;
  /** Lets it stop once its steps in flight have ended, for whoever sits here. Rejects as `stopAfterSteps` does. */
  readonly stopAfterSteps: () => Promise<Stopping>;
  /** The file to mend where a state fails. */
  readonly source: (state: StateName) => string;
}

/** Who hears of a run while it is driven. */
export interface Hearing {
  /** Called once, when all is checked and before the first step. */
  readonly watch: (facts: Facts) => readonly Observer[];
  /** Sentences about what is odd and stops nothing. */
  readonly warn: (message: string) => void;
}

/** How a run that is driven here is watched, and how it can be told to stop. */
export interface Driving extends Partial<Hearing> {
  /** Without it nothing but the run itself ends the run; `retry-now` is heard in any case. */
  readonly control?: Partial<Control> | undefined;
}
