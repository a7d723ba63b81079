import type { Transition } from "../../language/protocol/transition.ts";
import { firstLine, head } from "./first-line.ts";

/** A transition in words. `to`: the next state of the agent. */
export function formatTransition(transition: Transition, to: string): string {
  switch (transition.tag) {
    case "goto":
      return `goto ${to}${later(transition.delay)}${payload(transition.input)}`;
    case "reset":
    case "reset-workflow": {
      const folder = transition.cd === undefined ? "" : ` in ${transition.cd}`;
      const kept = transition.frames === "keep" ? ", callers kept" : "";
      return `${transition.tag} ${to}${folder}${kept}${later(transition.delay)}${payload(transition.input)}`;
    }
    case "join":
      return `join, then ${to}`;
    case "ask":
      return `ask, then ${to}`;
    case "call":
    case "function":
    case "call-workflow":
    case "function-workflow":
      return `${transition.tag} ${to}, return to ${transition.returnTo}${payload(transition.input)}`;
    case "fork-workflow":
      return `fork-workflow ${transition.path}, continue at ${to}${payload(transition.input)}`;
    case "fork":
      return `fork ${transition.target}, continue at ${to}${payload(transition.input)}`;
    case "result": {
      const { first } = head(transition.payload);
      return `result to ${to}${first === "" ? "" : `: ${first}`}`;
    }
  }
}

function later(delay: string | undefined): string {
  return delay === undefined ? "" : ` after ${delay}`;
}

function payload(input: string | undefined): string {
  return input === undefined ? "" : `, input: ${firstLine(input)}`;
}
