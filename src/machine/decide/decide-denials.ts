import { counted } from "../../language/basics/counted.ts";
import {
  callsWithout,
  type Denial,
  describeCall,
  distinctCalls,
  onDeniedOf,
  withoutGranted,
} from "../model/denial.ts";
import { failure } from "../model/failure.ts";
import type { Decision } from "./decision.ts";
import { nameOfStep, type Step } from "./step.ts";

/** The decision by `on_denied`; null: the reply counts (docs/permissions.md, "Denied tool calls"). */
export function decideDenials(step: Step, denials: readonly Denial[]): Decision | null {
  if (denials.length === 0) return null;
  switch (onDeniedOf(step.file, step.settings.onDenied)) {
    case "continue":
      return null;
    case "fail":
      return { kind: "fail", failure: failure("denied", problemOf(step, denials), hintOf(step)) };
    case "ask": {
      const refused = step.agent.ruling?.refused ?? [];
      const open = callsWithout(distinctCalls(denials), refused).slice(0, MAX_ASKED);
      const calls = open.map((call) => withoutGranted(call, step.grants ?? []));
      return calls.length === 0 ? null : { kind: "ask-permission", calls };
    }
  }
}

/** Calls in one question, which a person has to read. The others are asked about when they are denied again. */
const MAX_ASKED = 10;

/** Calls in an error message. */
const MAX_NAMED = 5;

function problemOf(step: Step, denials: readonly Denial[]): string {
  const calls = distinctCalls(denials);
  const named = calls
    .slice(0, MAX_NAMED)
    .map((call) => describeCall({ tool: call.tool, input: call.input }));
  const more = calls.length > MAX_NAMED ? `; and ${String(calls.length - MAX_NAMED)} more` : "";
  const sum = counted(denials.length, "tool call was", "tool calls were");
  return `${nameOfStep(step)}: ${sum} denied, and on_denied is "fail". Denied: ${named.join("; ")}${more}.`;
}

function hintOf({ permissions }: Step): string {
  const list =
    permissions?.narrowed === true ? ", and list them in the front matter of the state" : "";
  return `Allow them with --allow, for example --allow 'command(npm test)', when you resume the run${list}. Or resume with --on-denied ask to decide about each.`;
}
