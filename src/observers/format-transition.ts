import type { Transition } from "../core/protocol/transition.ts";
import { firstLine, head } from "./first-line.ts";

/** A transition in words; `to` is where its agent stands then. */
export function formatTransition(transition: Transition, to: string): string {
  switch (transition.tag) {
    case "goto":
      return `goto ${to}${later(transition.delay)}${given(transition.input)}`;
    case "reset":
    case "reset-workflow": {
      const folder = transition.cd === undefined ? "" : ` in ${transition.cd}`;
      const kept = transition.frames === "keep" ? ", callers kept" : "";
      return `${transition.tag} ${to}${folder}${kept}${later(transition.delay)}${given(transition.input)}`;
    }
    case "join":
      return `join, then ${to}`;
    case "ask":
      return `ask, then ${to}`;
    case "call":
    case "function":
    case "call-workflow":
    case "function-workflow":
      return `${transition.tag} ${to}, back at ${transition.returnTo}${given(transition.input)}`;
    case "fork-workflow":
      return `fork-workflow ${transition.path}, on to ${to}${given(transition.input)}`;
    case "fork":
      return `fork ${transition.target}, on to ${to}${given(transition.input)}`;
    case "result": {
      const { first } = head(transition.payload);
      return `result to ${to}${first === "" ? "" : `: ${first}`}`;
    }
  }
}

function later(delay: string | undefined): string {
  return delay === undefined ? "" : ` after ${delay}`;
}

/** The payload that a transition gives to the state that it enters. */
function given(input: string | undefined): string {
  return input === undefined ? "" : `, input: ${firstLine(input)}`;
}
