import path from "node:path";
import { shellWord } from "../../../console/shell-word.ts";
import { formatUsd } from "../../../language/basics/money.ts";
import type { DeclaredVar, Manifest } from "../../../language/workflow/files/manifest.ts";
import { stemOf } from "../../../language/workflow/files/state-name.ts";
import { describeWorkflow } from "../../../wire/workflow.ts";
import type { Shell } from "../../shell.ts";

/** `raymond help WORKFLOW`: its description, input, variables and defaults. */
export async function workflowHelp(workflow: string, shell: Shell): Promise<string> {
  const { located, manifest } = await describeWorkflow(workflow, shell);
  const { name, description } = manifest;
  const title = `${name ?? path.basename(located.path)}${description === null ? "" : `: ${description}`}`;
  return [
    title,
    "",
    `  ${callOf(workflow, manifest)}`,
    ...inputLines(manifest),
    ...varLines(manifest),
    ...defaultLines(manifest),
    "",
    `First state: ${located.entry}. States: ${[...new Set(located.names.map(stemOf))].join(", ")}`,
  ].join("\n");
}

/** The command that runs a workflow, with its required options. */
export function callOf(workflow: string, { input, vars }: Manifest): string {
  const variables = vars.filter(({ required }) => required).map(({ name }) => `--var ${name}=…`);
  const text = input?.required === true ? ["--input TEXT"] : [];
  return ["raymond", shellWord(workflow), ...text, ...variables].join(" ");
}

function inputLines({ input }: Manifest): readonly string[] {
  if (input === null) return [];
  const words = [input.description, input.required ? "(required)" : "(optional)"];
  return ["", `--input TEXT  ${words.filter((word) => word !== null).join(" ")}`];
}

function varLines({ vars }: Manifest): readonly string[] {
  if (vars.length === 0) return [];
  const terms = vars.map(({ name }) => `--var ${name}=…`);
  const width = Math.max(...terms.map((term) => term.length)) + 2;
  return [
    "",
    ...vars.map((each, at) => `${(terms[at] ?? "").padEnd(width)}${varText(each)}`.trimEnd()),
  ];
}

function varText({ description, required, options, default: value }: DeclaredVar): string {
  const facts = [
    ...(required ? ["required"] : []),
    ...(options === null ? [] : [`one of ${options.join(", ")}`]),
    ...(value === null ? [] : [`default: ${value}`]),
  ];
  const suffix = facts.length === 0 ? "" : `(${facts.join("; ")})`;
  return [description ?? "", suffix].filter((text) => text !== "").join(" ");
}

function defaultLines({ defaults }: Manifest): readonly string[] {
  const { budget, model, effort, max_parallel: parallel, tools } = defaults;
  const values = {
    budget: budget === undefined ? undefined : formatUsd(budget),
    ...{ model, effort, max_parallel: parallel, tools: tools?.join(", ") },
  };
  const rows = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : `${name} ${String(value)}`,
  );
  return rows.length === 0 ? [] : ["", `Defaults: ${rows.join(", ")}`];
}
