import type { WorkflowId } from "../../language/protocol/address.ts";
import type { Fault } from "../../language/protocol/fault.ts";
import type { OutputElement } from "../../language/protocol/output-elements.ts";
import type { Transition } from "../../language/protocol/transition.ts";
import { unfenced } from "../../language/workflow/json-text.ts";
import { namedSchemas, type ResolvedSchema } from "../../language/workflow/named-schemas.ts";
import type { Rule } from "../../language/workflow/policy/rule.ts";
import { checkedPart } from "../../language/workflow/policy/schema-name.ts";
import type { Step } from "./step.ts";

/** A schema file of a workflow; null: the started workflow. */
export interface SchemaUse {
  readonly workflow: WorkflowId | null;
  readonly name: string;
}

/** Schemas by {@link schemaKey}. */
export type ResolvedSchemas = ReadonlyMap<string, ResolvedSchema>;

export function schemaKey({ workflow, name }: SchemaUse): string {
  return JSON.stringify([workflow, name]);
}

/** The schemas that a state names in its rules or its directive. */
export function ownSchemas({ agent, file }: Pick<Step, "agent" | "file">): readonly SchemaUse[] {
  const { workflow } = agent;
  const names = new Set(namedSchemas(file).map(({ name }) => name));
  return [...names].map((name) => ({ workflow, name }));
}

/** The schemas that the output of a step can need. */
export function schemasFor(step: Step, transitions: readonly Transition[]): readonly SchemaUse[] {
  const own = ownSchemas(step);
  const called = transitions.some(({ tag }) => tag === "result") ? calledSchema(step) : null;
  return called === null ? own : [...own, called];
}

/** The schema of the call that a result of this step returns to. */
function calledSchema({ agent: { stack } }: Pick<Step, "agent">): SchemaUse | null {
  const frame = stack.at(-1);
  return frame?.schema === undefined ? null : { workflow: frame.workflow, name: frame.schema };
}

/**
 * Validates the payload of an element by the schemas that apply to it: that of its rule (`rule`) or
 * script, and for a result that of the call. A call carries the schema to its frame. A payload in a
 * Markdown fence is delivered without the fence.
 */
export function checkPayload(
  item: OutputElement,
  rule: Rule | null,
  step: Step,
  schemas: ResolvedSchemas,
): OutputElement {
  if (!item.ok) return item;
  const { transition, shown } = item;
  const { workflow } = step.agent;
  const own = rule?.schema === undefined ? null : { workflow, name: rule.schema };
  switch (checkedPart(transition.tag)) {
    case null:
      return item;
    case "return":
      if (own === null) return item;
      return { ...item, transition: { ...transition, schema: own.name } as Transition };
    case "input": {
      if (own === null || !("attributes" in transition)) return item;
      const { tag, input } = transition;
      const checked = check(input, `The input of <${tag}>`, [own], schemas);
      if (!checked.ok) return { ok: false, shown, fault: checked.fault };
      return { ...item, transition: { ...transition, input: checked.text } };
    }
    case "result": {
      if (transition.tag !== "result") return item;
      const checked = checkResult(transition.payload, resultSchemas(step, rule), schemas);
      if (!checked.ok) return { ok: false, shown, fault: checked.fault };
      return { ...item, transition: { ...transition, payload: checked.text } };
    }
  }
}

/** The schemas of a result: that of its rule (or script), and that of the call that it returns to. */
export function resultSchemas(
  step: Pick<Step, "agent" | "file">,
  rule: Rule | null,
): readonly SchemaUse[] {
  const { workflow } = step.agent;
  const own = rule?.schema === undefined ? scriptSchema(step) : { workflow, name: rule.schema };
  return [own, calledSchema(step)].flatMap((use) => use ?? []);
}

/** Validates a result. Without schemas it is valid. */
export function checkResult(
  text: string,
  uses: readonly SchemaUse[],
  schemas: ResolvedSchemas,
): Checked {
  return uses.length === 0 ? { ok: true, text } : check(text, "The result", uses, schemas);
}

function scriptSchema({ agent, file }: Pick<Step, "agent" | "file">): SchemaUse | null {
  if (file.kind === "prompt" || file.schema === undefined) return null;
  return { workflow: agent.workflow, name: file.schema.name };
}

type Checked =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly fault: Fault };

/** `uses` is not empty. */
function check(
  written: string | undefined,
  what: string,
  uses: readonly SchemaUse[],
  schemas: ResolvedSchemas,
): Checked {
  const text = unfenced(written ?? "");
  for (const use of uses) {
    const found = schemas.get(schemaKey(use));
    if (found?.ok !== true) throw new Error(`the schema ${use.name} is not loaded`);
    const faults = written === undefined ? ["it is missing"] : found.schema.check(text);
    if (faults.length === 0) continue;
    const message = `${what} must be JSON that matches ${use.name}: ${faults.join("; ")}.`;
    return { ok: false, fault: { code: "schema-mismatch", message } };
  }
  return { ok: true, text };
}
