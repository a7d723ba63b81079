import type { Cancellation } from "../../engine/ports/cancellation.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Executor } from "../../engine/ports/executor.ts";
import type { StepListener } from "../../engine/ports/step-events.ts";
import { failure } from "../../machine/model/failure.ts";
import { failedAttempt, type StepOutcome } from "../../machine/model/outcome.ts";
import { reachedModel } from "../../machine/waits/wait.ts";
import {
  type ClientReport,
  releaseSlot,
  requestSlot,
  type SlotDecision,
  type SlotRequest,
  stopWaiting,
} from "../queue/admission/account-slots.ts";
import { pauseFor } from "../queue/admission/admissions.ts";
import type { Database } from "../store/database.ts";
import type { AccountName } from "../store/rows/placement.ts";

export interface AccountSlotsOptions {
  readonly database: Database;
  /** The id of this worker in `raymond.holders`. */
  readonly holder: number;
  readonly clock: Clock;
  /** Aborts when the worker shuts down. */
  readonly until: AbortSignal;
}

/** Lets prompt steps of a worker start when they get a slot of their account. */
export class AccountSlots {
  readonly #options: AccountSlotsOptions;
  #waiting = 0;

  constructor(options: AccountSlotsOptions) {
    this.#options = options;
  }

  /**
   * An executor whose steps hold a slot of the account while they run. The wait for a slot does not count
   * for the timeout of a step, and ends when the step is cancelled. If the account has reached a usage limit
   * or its daily budget, the step ends as if its client had reported a usage limit.
   */
  around(executor: Executor, account: AccountName): Executor {
    return {
      execute: async (step, cancellation, listener, recorder) => {
        const { clock, holder } = this.#options;
        const requestedAt = clock.elapsed();
        const { run, agent, process } = step;
        const request = { run, agent: agent.id, process, account, holder };
        const decision = await this.#acquire(request, cancellation, listener);
        if (decision.kind === "wait") {
          const message = `Interrupted while waiting for account ${account}.`;
          return failedAttempt(failure("cancelled", message));
        }
        if (decision.kind === "limited") {
          const resetsAt = clock.now() + Math.ceil(decision.ms);
          return failedAttempt({ class: "limit", message: decision.message, hint: null, resetsAt });
        }
        const waitedMs = clock.elapsed() - requestedAt;
        const deadline = step.deadline && { ...step.deadline, at: step.deadline.at + waitedMs };
        let report: ClientReport = { kind: "nothing" };
        try {
          const delayed = { ...step, deadline };
          const outcome = await executor.execute(delayed, cancellation, listener, recorder);
          report = reportOf(outcome);
          return outcome;
        } finally {
          await this.#release(request, report);
        }
      },
    };
  }

  /** Waits for a slot. Resolves with `wait` if the step is cancelled. */
  async #acquire(
    request: SlotRequest,
    { budget, interrupt, kill }: Cancellation,
    listener: StepListener,
  ): Promise<SlotDecision> {
    const { database, clock, until } = this.#options;
    const cancelled = AbortSignal.any([budget, interrupt, kill, until]);
    const isCancelled = () => cancelled.aborted;
    let decision: SlotDecision = { kind: "wait" };
    let isWaiting = false;
    while (decision.kind === "wait" && !isCancelled()) {
      if (isWaiting) await clock.sleep(pauseFor(this.#waiting, Math.random), cancelled);
      if (isCancelled()) break;
      // While the database is away, the step waits.
      decision = await requestSlot(database, request).catch(() => ({ kind: "wait" as const }));
      if (decision.kind !== "wait" || isWaiting) continue;
      listener.notice(`waits for account ${request.account} (see raymond status)`);
      isWaiting = true;
      this.#waiting += 1;
    }
    if (isWaiting) this.#waiting -= 1;
    if (!isCancelled()) return decision;
    if (decision.kind === "granted") await this.#release(request, { kind: "nothing" });
    else if (isWaiting) await stopWaiting(database, request).catch(() => undefined);
    return { kind: "wait" };
  }

  /**
   * Retried until it succeeds: a slot that is not released would be lost as long as this worker
   * lives.
   */
  async #release(request: SlotRequest, report: ClientReport): Promise<void> {
    const { database, clock, until } = this.#options;
    for (;;) {
      try {
        await releaseSlot(database, request, report, clock.now());
        return;
      } catch {
        if (until.aborted) return;
        await clock.sleep(1_000, until);
      }
    }
  }
}

/** Uses the rule by which a run ends a wait (docs/budgets.md, "Usage limits"). */
function reportOf(outcome: StepOutcome): ClientReport {
  if (reachedModel(outcome)) return { kind: "reached-model" };
  if (outcome.kind !== "failure" || outcome.class !== "limit") return { kind: "nothing" };
  const { resetsAt, message } = outcome;
  return { kind: "limit", resetsAt, message };
}
