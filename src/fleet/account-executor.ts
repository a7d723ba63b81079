import { failure } from "../core/machine/failure.ts";
import { failedAttempt, type StepOutcome } from "../core/machine/outcome.ts";
import type { Step } from "../core/machine/step.ts";
import { gotThrough } from "../core/machine/wait.ts";
import type { Cancellation } from "../ports/cancellation.ts";
import type { Clock } from "../ports/clock.ts";
import type { Executor } from "../ports/executor.ts";
import type { StepListener } from "../ports/step-events.ts";
import {
  askForSlot,
  giveSlotBack,
  noLongerWaits,
  type Start,
  type Starting,
  type Told,
} from "../stores/postgres/account-slots.ts";
import type { Database } from "../stores/postgres/database.ts";
import type { AccountName } from "../stores/postgres/placement.ts";
import { pauseFor } from "./pause.ts";

/** The worker whose prompt steps have to wait for slots of their accounts. */
export interface SlotWorld {
  readonly database: Database;
  /** The row of `raymond.holders` that is this worker. */
  readonly holder: number;
  readonly clock: Clock;
  /** Nobody need be told any more. */
  readonly until: AbortSignal;
}

/** What lets prompt steps start that a worker goes on with. */
export class AccountSlots {
  readonly #world: SlotWorld;
  #waiting = 0;

  constructor(world: SlotWorld) {
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
              failure(
                "cancelled",
                `It was interrupted while it waited for the account ${account}.`,
              ),
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
        let told: Told = { kind: "nothing" };
        try {
          const outcome = await executor.execute(
            { ...step, deadline },
            cancellation,
            listener,
            recorder,
          );
          told = toldBy(outcome);
          return outcome;
        } finally {
          await this.#leave(starting, told);
        }
      },
    };
  }

  #starting({ run, agent, process }: Step, account: AccountName): Starting {
    return { run, agent: agent.id, process, account, holder: this.#world.holder };
  }

  /** What does not wait any more: `wait` is one that was cancelled meanwhile. */
  async #enter(
    starting: Starting,
    { budget, interrupt, kill }: Cancellation,
    listener: StepListener,
  ): Promise<Start> {
    const { database, clock, until } = this.#world;
    const over = AbortSignal.any([budget, interrupt, kill, until]);
    const ask = async (): Promise<Start> => {
      // A database that is away is waited for.
      return askForSlot(database, starting).catch((): Start => ({ kind: "wait" }));
    };
    if (over.aborted) return { kind: "wait" };
    let start = await ask();
    if (start.kind === "wait") {
      listener.notice(`waits for the account ${starting.account}, as raymond status shows`);
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
  async #giveUp(start: Start, starting: Starting): Promise<Start> {
    const { database } = this.#world;
    if (start.kind === "granted") await this.#leave(starting, { kind: "nothing" });
    else await noLongerWaits(database, starting).catch(() => undefined);
    return { kind: "wait" };
  }

  /** A slot that is not given back would be gone for as long as this worker lives. */
  async #leave(starting: Starting, told: Told): Promise<void> {
    const { database, clock, until } = this.#world;
    for (;;) {
      try {
        await giveSlotBack(database, starting, told, clock.now());
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

/** As a run judges it by which a wait is over (docs/budgets.md, "Usage limits"). */
function toldBy(outcome: StepOutcome): Told {
  if (gotThrough(outcome)) return { kind: "through" };
  if (outcome.kind !== "failure" || outcome.class !== "limit") return { kind: "nothing" };
  const { resetsAt, message } = outcome;
  return { kind: "limit", resetsAt, message };
}
