import type { Decision } from "../core/machine/decision.ts";
import { printGated } from "../core/machine/gate.ts";
import { printTransition } from "../core/protocol/print.ts";
import { firstLine } from "./first-line.ts";

/** What an outcome has led to, in words. */
export function formatDecision(decision: Decision): string {
  switch (decision.kind) {
    case "move": {
      const tags = decision.transitions.map((one) => firstLine(printTransition(one))).join(" ");
      return decision.implied ? `${tags} (implied)` : tags;
    }
    case "verify":
      return `${firstLine(printGated(decision.gate))} behind the gate ${decision.gate.checks[0]?.state ?? ""}`;
    case "pass":
      return "the gate lets it through";
    case "send-back":
      return `the gate sends it back: ${firstLine(decision.problem)}`;
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
