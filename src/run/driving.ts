import type { Control } from "../engine/engine.ts";
import type { Observer } from "../engine/ports/observer.ts";
import type { AgentId } from "../machine/model/agent.ts";
import type { Caller } from "../wire/caller.ts";
import type { RunFacts } from "../wire/engine/engine.ts";
import type { NamedRun } from "../wire/stores.ts";
import type { Answered } from "./answer.ts";
import type { Retried } from "./control/retry.ts";
import type { Stopping } from "./control/stop-after-steps.ts";
import type { EndedWorktree } from "./worktree/run-worktree.ts";

/** Control requests that the terminal of a run can send. */
export interface TerminalRequests {
  /** Answers the question of an agent. Rejects as `answer` does. */
  readonly answer: (agent: AgentId, text: string) => Promise<Answered>;
  /** Ends delays and waits for usage limits or outages. Rejects as `retry` does. */
  readonly retryNow: () => Promise<Retried>;
  /** Stops the run after the steps in flight. Rejects as `stopAfterSteps` does. */
  readonly stopAfterSteps: () => Promise<Stopping>;
}

/** Facts about a run in progress, and the control requests for it. */
export interface Facts extends RunFacts, TerminalRequests {}

/** How to observe and stop a run of this process. */
export interface Driving {
  /** Called once, after all checks and before the first step. */
  readonly watch?: (facts: Facts) => readonly Observer[];
  /** Receives warnings as sentences. */
  readonly warn?: (message: string) => void;
  /** Default: only control requests stop the run. */
  readonly control?: Partial<Control> | undefined;
  /** Receives what a completed run leaves behind in its worktree. */
  readonly onWorktree?: ((ended: EndedWorktree) => void) | undefined;
}

/** The control requests for a run. Their code is loaded at the first request. */
export function terminalRequests(
  run: Pick<NamedRun, "id" | "store" | "program">,
  caller: Caller,
): TerminalRequests {
  return {
    answer: async (agent, text) =>
      (await import("./answer.ts")).answerHere(run, agent, text, caller),
    retryNow: async () => (await import("./control/retry.ts")).retryNamed(run, null, caller),
    stopAfterSteps: async () =>
      (await import("./control/stop-after-steps.ts")).stopNamed(run, caller),
  };
}
