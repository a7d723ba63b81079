import type { PromptFile } from "../../language/workflow/files/state-file.ts";
import { listed } from "../../language/workflow/quote.ts";
import type { RunSettings } from "../../machine/model/run-state.ts";

/** Which model of which coding agent answers a prompt. */
export function modelOf(
  { agents, model, effort, fallbackModel }: PromptFile,
  settings: RunSettings,
): string {
  const [first, ...others] = agents ?? settings.agents ?? [];
  const instead =
    first === undefined || others.length === 0
      ? ""
      : ` While ${first} is limited or unavailable: ${listed(others)}.`;
  const named = model ?? settings.model;
  const level = effort ?? settings.effort;
  const of = first === undefined ? "" : ` of ${first}`;
  const who =
    named === null
      ? `${first === undefined ? "The client's" : "The"} default model${of}`
      : `The model ${named}${of}`;
  const other = fallbackModel ?? settings.fallbackModel;
  const fallback = other === null ? "" : `; while it is overloaded, ${other}`;
  return `${who} answers it${level === null ? "" : `, with ${level} effort`}${fallback}.${instead}`;
}
