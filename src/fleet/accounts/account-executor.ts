import type { Cancellation } from "../../engine/ports/cancellation.ts";
import type { Clock } from "../../engine/ports/clock.ts";
import type { Executor } from "../../engine/ports/executor.ts";
import type { StepListener } from "../../engine/ports/step-events.ts";
import { failure } from "../../machine/step/failure.ts";
import { failedAttempt, type StepOutcome } from "../../machine/step/outcome.ts";
import type { Step } from "../../machine/step/step.ts";
import { reachedModel } from "../../machine/wait/wait.ts";
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

/** The worker whose prompt steps have to wait for slots of their accounts. */
export interface AccountSlotsOptions {
  readonly database: Database;
  /** The row of `raymond.holders` that is this worker. */
  readonly holder: number;
  readonly clock: Clock;
  /** Nobody need be told any more. */
  readonly until: AbortSignal;
}

/** What lets prompt steps start that a worker goes on with. */
export class AccountSlots {
  readonly #world: AccountSlotsOptions;
  #waiting = 0;

  constructor(world: AccountSlotsOptions) {
    this.#world = world;
  }

  /**
   * The same executor, whose steps have a slot of the account while they run, and wait for it before. Waiting
   * is no part of a step's time, and ends at once when the step is cancelled. A step that meets the usage limit,
   * or the end of the money, of its account is not begun: it ends as if its client had told of a usage limit.
   */
  around(executor: Executor, account: AccountName): Executor {
    return {
      execute: async (step, cancellation, listener, recorder) => {
        const { clock } = this.#world;
        const began = clock.elapsed();
        const starting = this.#starting(step, account);
        const start = await this.#enter(starting, cancellation, listener);
        switch (start.kind) {
          case "wait":
            return failedAttempt(
              failure("cancelled", `Interrupted while waiting for account ${account}.`),
            );
          case "limited": {
            const resetsAt = clock.now() + Math.ceil(start.ms);
            return failedAttempt({ class: "limit", message: start.message, hint: null, resetsAt });
          }
          case "granted":
            break;
        }
        const waited = clock.elapsed() - began;
        const deadline =
          step.deadline === null ? null : { ...step.deadline, at: step.deadline.at + waited };
        let report: ClientReport = { kind: "nothing" };
        try {
          const outcome = await executor.execute(
            { ...step, deadline },
            cancellation,
            listener,
            recorder,
          );
          report = reportOf(outcome);
          return outcome;
        } finally {
          await this.#leave(starting, report);
        }
      },
    };
  }

  #starting({ run, agent, process }: Step, account: AccountName): SlotRequest {
    return { run, agent: agent.id, process, account, holder: this.#world.holder };
  }

  /** What does not wait any more: `wait` is one that was cancelled meanwhile. */
  async #enter(
    starting: SlotRequest,
    { budget, interrupt, kill }: Cancellation,
    listener: StepListener,
  ): Promise<SlotDecision> {
    const { database, clock, until } = this.#world;
    const over = AbortSignal.any([budget, interrupt, kill, until]);
    const ask = async (): Promise<SlotDecision> => {
      // A database that is away is waited for.
      return requestSlot(database, starting).catch((): SlotDecision => ({ kind: "wait" }));
    };
    if (over.aborted) return { kind: "wait" };
    let start = await ask();
    if (start.kind === "wait") {
      listener.notice(`waits for account ${starting.account} (see raymond status)`);
      this.#waiting += 1;
      while (start.kind === "wait" && !isOver(over)) {
        await clock.sleep(pauseFor(this.#waiting, Math.random), over);
        if (!isOver(over)) start = await ask();
      }
      this.#waiting -= 1;
    }
    return isOver(over) ? this.#giveUp(start, starting) : start;
  }

  /** Who was cancelled meanwhile takes nothing, and is not seen to wait. */
  async #giveUp(start: SlotDecision, starting: SlotRequest): Promise<SlotDecision> {
    const { database } = this.#world;
    if (start.kind === "granted") await this.#leave(starting, { kind: "nothing" });
    else await stopWaiting(database, starting).catch(() => undefined);
    return { kind: "wait" };
  }

  /**
   * Retried until it succeeds: a slot that is not released would be lost as long as this worker
   * lives.
   */
  async #leave(starting: SlotRequest, report: ClientReport): Promise<void> {
    const { database, clock, until } = this.#world;
    for (;;) {
      try {
        await releaseSlot(database, starting, report, clock.now());
        return;
      } catch {
        if (until.aborted) return;
        await clock.sleep(1_000, until);
      }
    }
  }
}

/** It can have been aborted since it was looked at. */
function isOver({ aborted }: AbortSignal): boolean {
  return aborted;
}

/** By the same rule by which a run ends a wait (docs/budgets.md, "Usage limits"). */
function reportOf(outcome: StepOutcome): ClientReport {
  if (reachedModel(outcome)) return { kind: "through" };
  if (outcome.kind !== "failure" || outcome.class !== "limit") return { kind: "nothing" };
  const { resetsAt, message } = outcome;
  return { kind: "limit", resetsAt, message };
}
