import type { Invocation } from "../../engine/ports/backend.ts";
import type { StepListener } from "../../engine/ports/step-events.ts";

/** Warns of settings of a call that only some clients have. */
export function warnOfUnsupported(
  agent: string,
  { fallbackModel, maxTurns, state }: Pick<Invocation, "fallbackModel" | "maxTurns" | "state">,
  listener: Pick<StepListener, "warning">,
): void {
  const names = [
    ...(fallbackModel === null ? [] : ["fallback_model"]),
    ...(maxTurns === null ? [] : ["max_turns"]),
  ];
  if (names.length > 0) {
    listener.warning(`${state}: ${agent} does not support ${names.join(" and ")}.`);
  }
}
