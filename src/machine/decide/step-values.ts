import type { Step } from "./step.ts";

/** Values for `{{name}}`: attributes, overridden by built-in values (docs/authoring.md, "Templates"). */
export function stepValues(step: Step): Readonly<Record<string, string>> {
  return { ...step.agent.attributes, ...ownValues(step) };
}

/** Attributes hidden by built-in values. */
export function hiddenAttributes(step: Step): readonly string[] {
  const own = ownValues(step);
  return Object.keys(step.agent.attributes).filter((name) => Object.hasOwn(own, name));
}

/** The pending payload under both its names. */
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
