import type { Delivery } from "../../machine/model/agent.ts";
import type { ControlAction } from "../../machine/model/event.ts";
import type { FailureClass } from "../../machine/model/failure.ts";
import type { RunStatus } from "../../machine/model/run-state.ts";

/** The start of the last line of a run. */
export const statusWords: { readonly [S in RunStatus]: string } = {
  running: "still running",
  waiting: "still waiting",
  paused: "paused",
  interrupted: "interrupted",
  budget_exceeded: "stopped at the budget",
  failed: "failed",
  completed: "completed",
};

export const classWords: { readonly [C in FailureClass]: string } = {
  crash: "crashed",
  outage: "outage",
  limit: "usage limit",
  deterministic: "cannot continue",
  cancelled: "cancelled",
  "lost-session": "lost its conversation",
  denied: "denied tool calls",
};

export const controlWords: { readonly [A in ControlAction]: string } = {
  stop: "stopped",
  "stop-after-steps": "stop after the steps in flight requested",
  retry: "retry requested",
};

export const waitWords = { limit: "usage limit", outage: "outage" } as const;

/** Why an agent continues in the state of a rule. */
export const divertWords = {
  on_error: "failed, and on_error",
  on_fail: "was returned by its gate too often, and on_fail",
} as const;

/** What a step starts with, after the name of its state. */
export const deliveryWords: { readonly [D in Delivery]: string } = {
  prompt: "",
  reminder: " (reminder)",
  gate: " (returned by its gate)",
  interrupted: " (continues after an interruption)",
  capped: " (continues where the budget stopped it)",
  allowed: " (continues with allowed tool calls)",
  denied: " (continues without denied tool calls)",
};
