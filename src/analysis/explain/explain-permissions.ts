import { usualAgent } from "../../language/basics/default-agent.ts";
import { printPermission } from "../../language/permissions/permission.ts";
import type {
  OnDenied,
  PromptFile,
  ScriptFile,
  StateFile,
} from "../../language/workflow/files/state-file.ts";
import { permissionsOf } from "../../machine/decide/permissions.ts";
import { onDeniedOf } from "../../machine/model/denial.ts";
import { type ExplainSettings, environmentOf } from "./describe-environment.ts";

/** What a prompt may do in a run with these settings, in sentences. */
export function explainPermissions(file: PromptFile, settings: ExplainSettings): readonly string[] {
  const { call, refused } = permissionsOf(file, settings.workflowPermissions, settings);
  const { level, allow, deny, tools, allowedTools, disallowedTools } = call;
  const levels = settings.levelsOf(file.agents?.[0] ?? usualAgent(settings));
  const facts = levels?.[level] ?? null;
  const allowed = level === "full" ? [] : [...allow.map(printPermission), ...(allowedTools ?? [])];
  const denied = [...deny.map(printPermission), ...(disallowedTools ?? [])];
  return [
    ...(facts !== null && (tools === null || level !== "edit") ? [sentence(facts.may)] : []),
    ...(tools === null ? [] : [`Use only these tools: ${names(tools)}.`]),
    ...(allowed.length === 0 ? [] : [`Use without asking: ${names(allowed)}.`]),
    ...(denied.length === 0 ? [] : [`Never use: ${names(denied)}.`]),
    ...(refused.length === 0
      ? []
      : [`Not get what it asks for beyond your settings: ${names(refused)}.`]),
    ...reactionTo(onDeniedOf(file, settings.onDenied)),
    ...(settings.protectWorkflow && facts?.protects !== false
      ? ["Never change: the workflow's files, the state folder and config.toml."]
      : []),
  ];
}

/** The reaction to denied tool calls, unless they are only reported. */
function reactionTo(onDenied: OnDenied): readonly string[] {
  switch (onDenied) {
    case "continue":
      return [];
    case "ask":
      return ["Ask a person about calls that are denied."];
    case "fail":
      return ["Not continue after a denied call: the step fails."];
  }
}

function names(list: readonly string[]): string {
  return list.length === 0 ? "none" : list.join(", ");
}

function sentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** The sandboxes that apply to a state: its own, or that of its workflow, and that of the user. */
export function sandboxesOf(
  { sandbox }: Pick<StateFile, "sandbox">,
  { sandbox: users, workflowSandbox }: Pick<ExplainSettings, "sandbox" | "workflowSandbox">,
  where = "In a sandbox",
): readonly string[] {
  const both = [sandbox ?? workflowSandbox, users].filter((each) => each !== null);
  return both.map(({ write, network }) => {
    const paths = write.length === 0 ? "nothing" : `only ${write.join(", ")}`;
    return `${where}: change ${paths}${network ? "" : ", without network"}.`;
  });
}

/** What a script may see and change, and its environment variables. */
export function scriptPermissions(file: ScriptFile, settings: ExplainSettings): readonly string[] {
  const image = settings.container ?? file.container;
  if (image === null) {
    const sandboxes = sandboxesOf(file, settings);
    const may = sandboxes.length === 0 ? ["Everything that you may."] : sandboxes;
    return [...may, ...environmentOf(file, settings)];
  }
  const limits = sandboxesOf(file, settings, WHERE);
  const isRefused = file.container !== null && file.container !== image;
  return [
    ...(isRefused
      ? [`Not at all: it asks for the container ${file.container}, and the setting is ${image}.`]
      : []),
    `See no files but those of the image ${image}, the working folder and the workflow.`,
    ...(limits.length === 0 ? [`${WHERE}: change only the working folder.`] : limits),
    ...environmentOf(file, settings, "container"),
  ];
}

const WHERE = "In its container";
