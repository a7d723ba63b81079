import type { AgentId } from "../core/machine/agent.ts";
import type { Event } from "../core/machine/event.ts";
import type { LoggedStep } from "./logged-steps.ts";

/** A step that did not succeed, and what came of it. */
export interface ToldFailure {
  readonly step: number;
  readonly agent: AgentId;
  readonly state: string;
  /** Epoch ms. */
  readonly at: number;
  /** Class of the failure; `cut-off` where raymond has died with the step. */
  readonly class: string;
  /** Null where nothing was told but the class. */
  readonly problem: string | null;
  readonly hint: string | null;
  /** What the agent did then: it could not go on, was tried again, went where its workflow says for such a case, or went on with a short note; null where that was not told. */
  readonly next: "failed" | "retried" | "diverted" | "continued" | null;
}

/** The failures among these steps; `running` are the numbers of those that run now. */
export function toldFailures(
  steps: readonly LoggedStep[],
  running: ReadonlySet<number>,
): readonly ToldFailure[] {
  return steps.flatMap((step) => {
    const runs = step.ended === null && running.has(step.started.event.process);
    return runs ? [] : (failureOf(step) ?? []);
  });
}

function failureOf({ started, ended, after }: LoggedStep): ToldFailure | null {
  const { process, agent, state } = started.event;
  const told = after.map(({ event }) => event).find(isTelling) ?? null;
  const failed = told?.type === "agent.failed" ? told : null;
  if (failed === null && ended?.event.ok === true) return null;
  const attempt = ended === null ? "cut-off" : (ended.event.failure ?? "failed");
  return {
    ...{ step: process, agent, state, at: (ended ?? started).at },
    class: failed?.class ?? attempt,
    problem: told?.problem ?? null,
    hint: failed?.hint ?? null,
    next: told === null ? null : NEXT[told.type],
  };
}

const NEXT = {
  "agent.failed": "failed",
  "agent.retrying": "retried",
  "agent.diverted": "diverted",
  "agent.continued": "continued",
} as const satisfies { readonly [T in Event["type"]]?: ToldFailure["next"] };

type Telling = Extract<Event, { type: keyof typeof NEXT }>;

function isTelling(event: Event): event is Telling {
  return event.type in NEXT;
}
