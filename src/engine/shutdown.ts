import type { AgentId } from "../core/machine/agent.ts";
import type { StopReason } from "../core/machine/run-state.ts";
import type { Cancellation } from "../ports/cancellation.ts";
import type { Clock } from "../ports/clock.ts";
import type { Control } from "./engine.ts";

/**
 * How long scripts in flight may go on when the run stops for another reason
 * than a signal, ms (docs/authoring.md, "When something goes wrong").
 */
const SCRIPT_GRACE_MS = 60_000;

/**
 * Ends what is in flight when a run stops. A signal to raymond interrupts all
 * steps at once. A budget that is used up ends prompt steps after their answer;
 * any other stop lets them end by themselves, for their work is paid for. Both
 * give scripts a minute.
 */
export class Shutdown {
  readonly #budget = new AbortController();
  readonly #all = new AbortController();
  readonly #scripts = new AbortController();
  readonly #timer = new AbortController();
  readonly #kill = new AbortController();
  readonly #clock: Clock;
  /** The prompt steps in flight, by their agents. */
  readonly #steps = new Map<AgentId, AbortController>();
  #begun = false;

  constructor(clock: Clock, control: Control) {
    this.#clock = clock;
    whenAborted(control.interrupt, () => {
      this.interrupt();
    });
    whenAborted(control.kill, () => {
      this.#kill.abort();
    });
  }

  /** The cancellation of the step of an agent. */
  of(kind: "prompt" | "script", agent: AgentId): Cancellation {
    const interrupt = kind === "script" ? this.#scripts.signal : this.#own(agent);
    return { budget: this.#budget.signal, interrupt, kill: this.#kill.signal };
  }

  #own(agent: AgentId): AbortSignal {
    const own = new AbortController();
    this.#steps.set(agent, own);
    if (this.#all.signal.aborted) own.abort();
    return own.signal;
  }

  /** The step of an agent has ended. */
  release(agent: AgentId): void {
    this.#steps.delete(agent);
  }

  /** Interrupts the prompt step of one agent. */
  interruptStep(agent: AgentId): void {
    this.#steps.get(agent)?.abort();
  }

  /** Called whenever the run has a reason to stop; only the first call counts. */
  begin(reason: StopReason): void {
    if (this.#begun) return;
    this.#begun = true;
    // A state that has used up a budget of its own is no reason to break others off.
    if (reason.class === "budget" && reason.state === null) this.#budget.abort();
    void this.#clock.sleep(SCRIPT_GRACE_MS, this.#timer.signal).then(() => {
      if (!this.#timer.signal.aborted) this.#scripts.abort();
    });
  }

  /** Interrupts everything now. */
  interrupt(): void {
    this.#all.abort();
    for (const own of this.#steps.values()) own.abort();
    this.#scripts.abort();
  }

  /** No timer of the shutdown keeps raymond alive after this. */
  end(): void {
    // Aborting builds an exception with its stack: not where there is no timer.
    if (this.#begun) this.#timer.abort();
    this.#begun = true;
  }
}

/** Calls back when the signal aborts, also when it already has. */
export function whenAborted(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then();
  else signal.addEventListener("abort", then, { once: true });
}
