import type { AgentId } from "../machine/model/agent.ts";
import type { Event } from "../machine/model/event.ts";
import type { LoggedStep } from "./logged-steps.ts";

/** A failed step, and its consequence. */
export interface LoggedFailure {
  readonly step: number;
  readonly agent: AgentId;
  readonly state: string;
  /** Epoch ms. */
  readonly at: number;
  /** Class of the failure; `cut-off` if raymond died during the step. */
  readonly class: string;
  /** Null if only the class is known. */
  readonly problem: string | null;
  readonly hint: string | null;
  /** The consequence for the agent; null if unknown. */
  readonly next: "failed" | "retried" | "diverted" | "continued" | null;
}

/** The failures among these steps. `running`: numbers of the running steps. */
export function loggedFailures(
  steps: readonly LoggedStep[],
  running: ReadonlySet<number>,
): readonly LoggedFailure[] {
  return steps.flatMap((step) => {
    const runs = step.ended === null && running.has(step.started.event.process);
    return runs ? [] : (failureOf(step) ?? []);
  });
}

function failureOf({ started, ended, after }: LoggedStep): LoggedFailure | null {
  const { process, agent, state } = started.event;
  const report = after.map(({ event }) => event).find(isReport) ?? null;
  const failed = report?.type === "agent.failed" ? report : null;
  if (failed === null && ended?.event.ok === true) return null;
  const attempt = ended === null ? "cut-off" : (ended.event.failure ?? "failed");
  return {
    ...{ step: process, agent, state, at: (ended ?? started).at },
    class: failed?.class ?? attempt,
    problem: report?.problem ?? null,
    hint: failed?.hint ?? null,
    next: report === null ? null : NEXT[report.type],
  };
}

const NEXT = {
  "agent.failed": "failed",
  "agent.retrying": "retried",
  "agent.diverted": "diverted",
  "agent.continued": "continued",
} as const satisfies { readonly [T in Event["type"]]?: LoggedFailure["next"] };

type Report = Extract<Event, { type: keyof typeof NEXT }>;

function isReport(event: Event): event is Report {
  return event.type in NEXT;
}
