import {
  parseBudget,
  parseCount,
  parseDurationFlag,
  parseEffort,
  parseName,
  parsePositiveInt,
  parseToolList,
} from "../config/flags.ts";
import { switches } from "../config/settings.ts";
import type { RunSettings } from "../core/machine/run-state.ts";
import { attributeNameProblem, attributeValueProblem } from "../core/protocol/attributes.ts";
import { BadVariableError } from "./errors.ts";
import type { RunOptions } from "./run-options.ts";

/** The settings that the command line gives. Throws a RaymondError that names the flag. */
export function settingsOf(options: RunOptions): Partial<RunSettings> {
  const settings: { -readonly [Field in keyof RunSettings]?: RunSettings[Field] } = {};
  if (options.budget !== undefined)
    settings.budgetMicroUsd = parseBudget("--budget", options.budget);
  if (options.model !== undefined) settings.model = parseName("--model", options.model, "model");
  if (options.effort !== undefined) settings.effort = parseEffort("--effort", options.effort);
  if (options.timeout !== undefined) {
    settings.timeoutMs = parseDurationFlag("--timeout", options.timeout);
  }
  if (options.toolTimeout !== undefined) {
    settings.toolTimeoutMs = parseDurationFlag("--tool-timeout", options.toolTimeout);
  }
  if (options.scriptTimeout !== undefined) {
    settings.scriptTimeoutMs = parseDurationFlag("--script-timeout", options.scriptTimeout);
  }
  if (options.maxOutage !== undefined) {
    settings.maxOutageMs = parseDurationFlag("--max-outage", options.maxOutage);
  }
  if (options.maxParallel !== undefined) {
    settings.maxParallel = parsePositiveInt("--max-parallel", options.maxParallel);
  }
  if (options.maxWait !== undefined) {
    settings.maxWaitMs = parseDurationFlag("--max-wait", options.maxWait);
  }
  if (options.maxSteps !== undefined) {
    settings.maxSteps = parseCount("--max-steps", options.maxSteps);
  }
  if (options.notify !== undefined) {
    settings.notify = parseName("--notify", options.notify, "notify");
  }
  if (options.tools !== undefined) settings.tools = parseToolList("--tools", options.tools);
  if (options.allowedTools !== undefined) {
    settings.allowedTools = parseToolList("--allowed-tools", options.allowedTools);
  }
  if (options.disallowedTools !== undefined) {
    settings.disallowedTools = parseToolList("--disallowed-tools", options.disallowedTools);
  }
  if (options.claude !== undefined) {
    settings.claude = parseName("--claude", options.claude, "claude");
  }
  return { ...settings, ...switchesOf(options) };
}

/** What the switches say: each is called like its key in the file. */
function switchesOf(options: RunOptions): Partial<RunSettings> {
  const given = new Map(Object.entries(options));
  const said = switches().flatMap(({ key, field }) => {
    const name = key.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
    const on: unknown = given.get(name);
    return typeof on === "boolean" ? [[field, on] as const] : [];
  });
  return Object.fromEntries(said);
}

/**
 * `--var name=value`, each name once, by the rules for attributes of a fork
 * (docs/protocol.md, "Reserved attribute names").
 */
export function variablesOf(options: RunOptions): Readonly<Record<string, string>> {
  const variables = new Map<string, string>();
  for (const given of options.var ?? []) {
    const at = given.indexOf("=");
    if (at < 0) throw new BadVariableError(given, "It has no = between name and value.");
    const name = given.slice(0, at);
    const value = given.slice(at + 1);
    const problem = attributeNameProblem(name) ?? attributeValueProblem(value);
    if (problem !== null) throw new BadVariableError(given, problem);
    if (variables.has(name)) {
      throw new BadVariableError(given, `The name ${name} is given twice.`);
    }
    variables.set(name, value);
  }
  // Not by assignment: a variable may be called __proto__.
  return Object.fromEntries(variables);
}
