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
  /** Of the steps in flight; null while there are none: a run that waits holds nothing that nobody can hear. */
  #signals: Signals | null = null;
  readonly #clock: Clock;
  /** How many steps are in flight. */
  #flying = 0;
  /** What those that come later are told at once. */
  readonly #told = new Set<keyof Signals>();
  /** The prompt steps in flight, by their agents. */
  readonly #steps = new Map<AgentId, AbortController>();
  #isInterrupted = false;
  #begun = false;
  #timer: AbortController | null = null;

  constructor(clock: Clock, control: Control) {
    this.#clock = clock;
    whenAborted(control.interrupt, () => {
      this.interrupt();
    });
    whenAborted(control.kill, () => {
      this.#tell("kill");
    });
  }

  /** The cancellation of the step of an agent; it is given back by {@link release}. */
  of(kind: "prompt" | "script", agent: AgentId): Cancellation {
    this.#flying += 1;
    this.#signals ??= signals(this.#told);
    const { budget, scripts, kill } = this.#signals;
    const interrupt = kind === "script" ? scripts.signal : this.#own(agent);
    return { budget: budget.signal, interrupt, kill: kill.signal };
  }

  #own(agent: AgentId): AbortSignal {
    const own = new AbortController();
    this.#steps.set(agent, own);
    if (this.#isInterrupted) own.abort();
    return own.signal;
  }

  /** The step of an agent has ended. */
  release(agent: AgentId): void {
    this.#steps.delete(agent);
    this.#flying -= 1;
    if (this.#flying === 0) this.#signals = null;
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
    if (reason.class === "budget" && reason.state === null) this.#tell("budget");
    const timer = new AbortController();
    this.#timer = timer;
    void this.#clock.sleep(SCRIPT_GRACE_MS, timer.signal).then(() => {
      if (!timer.signal.aborted) this.#tell("scripts");
    });
  }

  /** Interrupts everything now. */
  interrupt(): void {
    this.#isInterrupted = true;
    for (const own of this.#steps.values()) own.abort();
    this.#tell("scripts");
  }

  #tell(what: keyof Signals): void {
    this.#told.add(what);
    this.#signals?.[what].abort();
  }

  /** No timer of the shutdown keeps raymond alive after this. */
  end(): void {
    // Aborting builds an exception with its stack: not where there is no timer.
    this.#timer?.abort();
    this.#begun = true;
  }
}

/** What the steps in flight are told together. */
interface Signals {
  /** The budget is used up. */
  readonly budget: AbortController;
  readonly scripts: AbortController;
  readonly kill: AbortController;
}

function signals(told: ReadonlySet<keyof Signals>): Signals {
  const made = {
    budget: new AbortController(),
    scripts: new AbortController(),
    kill: new AbortController(),
  };
  for (const what of told) made[what].abort();
  return made;
}

/** Calls back when the signal aborts, also when it already has. */
export function whenAborted(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then();
  else signal.addEventListener("abort", then, { once: true });
}
