import type { Platform } from "../language/workflow/files/platform.ts";
import type { AgentId } from "../machine/model/agent.ts";
import type { StopReason } from "../machine/model/run-state.ts";
import { signalWord } from "../machine/model/signal-word.ts";
import type { Control } from "./engine.ts";
import type { Cancellation } from "./ports/cancellation.ts";
import type { Clock } from "./ports/clock.ts";

/**
 * Grace period of scripts in flight when the run stops for a reason other than a signal, ms
 * (docs/authoring.md, "Error handling").
 */
const SCRIPT_GRACE_MS = 60_000;

/**
 * Ends the steps in flight when a run stops. A signal interrupts all steps at once. An exhausted
 * budget ends prompt steps after their current response. Any other stop lets them finish, because
 * their work is already paid for. Scripts get a minute in both cases.
 */
export class Shutdown {
  /** Null without steps in flight, to save memory in waiting runs. */
  #signals: Signals | null = null;
  readonly #clock: Clock;
  #stepsInFlight = 0;
  /** Signals for steps that start later. */
  readonly #sent = new Set<keyof Signals>();
  /** The steps in flight, by agent. */
  readonly #steps = new Map<AgentId, StepInterrupt>();
  #isInterrupted = false;
  #haveScriptsEnded = false;
  #hasStarted = false;
  #timer: AbortController | null = null;

  constructor(clock: Clock, control: Control) {
    this.#clock = clock;
    whenAborted(control.interrupt, () => {
      this.interrupt();
    });
    whenAborted(control.kill, () => {
      this.#send("kill");
    });
  }

  /** The cancellation of an agent's step, until {@link release}. */
  of(kind: "prompt" | "script", agent: AgentId): Cancellation {
    this.#stepsInFlight += 1;
    this.#signals ??= signals(this.#sent);
    const { budget, kill } = this.#signals;
    const interrupt = new AbortController();
    this.#steps.set(agent, { kind, interrupt });
    if (this.#isInterrupted || (kind === "script" && this.#haveScriptsEnded)) interrupt.abort();
    return { budget: budget.signal, interrupt: interrupt.signal, kill: kill.signal };
  }

  release(agent: AgentId): void {
    this.#steps.delete(agent);
    this.#stepsInFlight -= 1;
    if (this.#stepsInFlight === 0) this.#signals = null;
  }

  interruptStep(agent: AgentId): void {
    this.#steps.get(agent)?.interrupt.abort();
  }

  /** Only the first call counts. */
  begin(reason: StopReason): void {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    // A state that has used up its own budget does not end other steps.
    if (reason.class === "budget" && reason.state === null) this.#send("budget");
    const timer = new AbortController();
    this.#timer = timer;
    void this.#clock.sleep(SCRIPT_GRACE_MS, timer.signal).then(() => {
      if (!timer.signal.aborted) this.#endScripts();
    });
  }

  #endScripts(): void {
    this.#haveScriptsEnded = true;
    for (const { kind, interrupt } of this.#steps.values()) {
      if (kind === "script") interrupt.abort();
    }
  }

  interrupt(): void {
    this.#isInterrupted = true;
    for (const { interrupt } of this.#steps.values()) interrupt.abort();
  }

  #send(what: keyof Signals): void {
    this.#sent.add(what);
    this.#signals?.[what].abort();
  }

  /** Clears the timer, which would keep the process alive. */
  end(): void {
    // Aborting creates an exception with a stack: skipped without a timer.
    this.#timer?.abort();
    this.#hasStarted = true;
  }
}

/** Shared by all steps in flight. */
interface Signals {
  readonly budget: AbortController;
  readonly kill: AbortController;
}

interface StepInterrupt {
  readonly kind: "prompt" | "script";
  readonly interrupt: AbortController;
}

function signals(sent: ReadonlySet<keyof Signals>): Signals {
  const made = {
    budget: new AbortController(),
    kill: new AbortController(),
  };
  for (const what of sent) made[what].abort();
  return made;
}

/** Calls back when the signal aborts, or at once if it already has. */
export function whenAborted(signal: AbortSignal, then: () => void): void {
  if (signal.aborted) then();
  else signal.addEventListener("abort", then, { once: true });
}

/**
 * Like an interruption, so that the run can be resumed in the same way, but no step is interrupted.
 */
export const AFTER_STEPS: StopReason = {
  class: "interrupted",
  message: "Stopped after the steps in flight, as requested.",
  agent: null,
  state: null,
  signal: "SIGINT",
};

export function interrupted(signal: AbortSignal, platform: Platform): StopReason {
  const name: unknown = signal.reason;
  const known = name === "SIGTERM" || name === "SIGHUP" ? name : "SIGINT";
  const message = `Interrupted by ${signalWord(known, platform)}.`;
  return { class: "interrupted", message, agent: null, state: null, signal: known };
}
