import type { PromptFile, StateProblem } from "./files/state-file.ts";
import { missingField } from "./template.ts";

/**
 * Why a prompt or an `input` of its rules cannot be filled with this payload: a placeholder names a
 * field that it does not have (docs/authoring.md, "Fields of a payload"). Null if it can.
 */
export function fieldProblem(
  { body, bodyLine, bodyColumn, rules }: PromptFile,
  payload: Readonly<Record<string, string>>,
): StateProblem | null {
  const inBody = missingField(body, payload);
  if (inBody !== null) {
    const at = { line: bodyLine + inBody.placeholder.line - 1, column: bodyColumn };
    return { at, ...describe(inBody) };
  }
  for (const { input = "", at } of rules ?? []) {
    const inRule = missingField(input, payload);
    if (inRule !== null) return { at, ...describe(inRule) };
  }
  return null;
}

function describe({ placeholder, problem }: NonNullable<ReturnType<typeof missingField>>) {
  return {
    rule: "RAY903",
    message: `{{${placeholder.name}}} has no value. ${problem}`,
    hint: "Correct the name, or check the payload with a schema (docs/authoring.md, Checked results).",
  } as const;
}
