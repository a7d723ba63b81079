import type { Delivery } from "../core/machine/agent.ts";
import type { FailureClass } from "../core/machine/failure.ts";
import type { RunStatus } from "../core/machine/run-state.ts";

/** How a run ended, as its last line begins. */
export const statusWords: { readonly [S in RunStatus]: string } = {
  running: "still running",
  waiting: "still waiting",
  paused: "paused",
  interrupted: "interrupted",
  budget_exceeded: "stopped at the budget",
  failed: "failed",
  completed: "completed",
};

/** Why an attempt or an agent did not succeed. */
export const classWords: { readonly [C in FailureClass]: string } = {
  crash: "crashed",
  outage: "outage",
  limit: "usage limit",
  deterministic: "cannot go on",
  cancelled: "cancelled",
  "lost-session": "its conversation is gone",
};

/** What a run waits for. */
export const waitWords = { limit: "usage limit", outage: "outage" } as const;

/** Why an agent goes where a rule leads. */
export const divertWords = {
  on_error: "failed, and on_error",
  on_fail: "was sent back too often, and on_fail",
} as const;

/** As what a step is begun, behind the name of its state. */
export const deliveryWords: { readonly [D in Delivery]: string } = {
  prompt: "",
  reminder: " (reminder)",
  gate: " (sent back)",
  interrupted: " (goes on after an interruption)",
  capped: " (goes on where the budget broke it off)",
};
