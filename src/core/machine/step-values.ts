import type { Step } from "./step.ts";

/**
 * What `{{name}}` can name in a step (docs/authoring.md, "Templates"): the
 * agent's attributes, and raymond's own values, which win.
 */
export function stepValues(step: Step): Readonly<Record<string, string>> {
  return { ...step.agent.attributes, ...ownValues(step) };
}

/** The names of attributes that a value of raymond's own hides. */
export function hiddenAttributes(step: Step): readonly string[] {
  const own = ownValues(step);
  return Object.keys(step.agent.attributes).filter((name) => Object.hasOwn(own, name));
}

/** A pending payload by both its names; nothing where none is pending. */
export function payloadValues(payload: string | null): Readonly<Record<string, string>> {
  return payload === null ? {} : { result: payload, input: payload };
}

function ownValues({ run, agent, scopeDir }: Step): Readonly<Record<string, string>> {
  return {
    ...payloadValues(agent.pendingResult),
    workflow_id: run,
    agent_id: agent.id,
    ...(agent.wanted === null ? {} : { state: agent.wanted }),
    state_dir: scopeDir,
  };
}
