import { printTransition } from "../../language/protocol/print.ts";
import type { Decision } from "../../machine/step/decision.ts";
import { printGatedTransitions } from "../../machine/step/gate.ts";
import { firstLine } from "./first-line.ts";

/** The result of an outcome, in words. */
export function formatDecision(decision: Decision): string {
  switch (decision.kind) {
    case "move": {
      const tags = decision.transitions.map((one) => firstLine(printTransition(one))).join(" ");
      return decision.implied ? `${tags} (implied)` : tags;
    }
    case "verify":
      return `${firstLine(printGatedTransitions(decision.gate))} after the gate ${decision.gate.checks[0]?.state ?? ""}`;
    case "pass":
      return "the gate passes";
    case "send-back":
      return `the gate fails, back to the agent: ${firstLine(decision.problem)}`;
    case "remind":
      return `a reminder: ${firstLine(decision.fault.message)}`;
    case "continue":
    case "again":
    case "reenter":
    case "forget":
      return `another attempt: ${firstLine(decision.problem)}`;
    case "retry":
      return `another attempt: ${firstLine(decision.failure.message)}`;
    case "divert":
    case "hand-over":
      return `on to ${decision.target}: ${firstLine(decision.problem)}`;
    case "halt":
      return `a stop: ${firstLine(decision.problem)}`;
    case "limit":
      return `a wait: ${firstLine(decision.message)}`;
    case "cancelled":
      return "an interruption";
    case "fail":
      return `a failure: ${firstLine(decision.failure.message)}`;
  }
}
