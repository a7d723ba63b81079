import path from "node:path";
import { formatUsd } from "../core/money.ts";
import type { DeclaredVar, Manifest } from "../core/workflow/manifest.ts";
import { stemOf } from "../core/workflow/state-name.ts";
import { describeWorkflow } from "../runs/wire/workflow.ts";
import type { Shell } from "./shell.ts";
import { callOf } from "./workflow-call.ts";

/** `raymond help WORKFLOW`: what it is, what it takes, and what it sets where nobody else does. */
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
    `It starts at ${located.entry}; its states: ${[...new Set(located.names.map(stemOf))].join(", ")}`,
  ].join("\n");
}

function inputLines({ input }: Manifest): readonly string[] {
  if (input === null) return [];
  const words = [input.description, input.required ? "(required)" : "(optional)"];
  return ["", `--input TEXT  ${words.filter((one) => one !== null).join(" ")}`];
}

function varLines({ vars }: Manifest): readonly string[] {
  if (vars.length === 0) return [];
  const terms = vars.map(({ name }) => `--var ${name}=…`);
  const width = Math.max(...terms.map((term) => term.length)) + 2;
  return [
    "",
    ...vars.map((one, index) => `${(terms[index] ?? "").padEnd(width)}${varWords(one)}`.trimEnd()),
  ];
}

function varWords({ description, required, options, default: value }: DeclaredVar): string {
  const facts = [
    ...(required ? ["required"] : []),
    ...(options === null ? [] : [`one of ${options.join(", ")}`]),
    ...(value === null ? [] : [`default: ${value}`]),
  ];
  const ending = facts.length === 0 ? "" : `(${facts.join("; ")})`;
  return [description ?? "", ending].filter((one) => one !== "").join(" ");
}

function defaultLines({ defaults }: Manifest): readonly string[] {
  const { budget, model, effort, max_parallel: parallel, tools } = defaults;
  const said = [
    ...(budget === undefined ? [] : [`budget ${formatUsd(budget)}`]),
    ...(model === undefined ? [] : [`model ${model}`]),
    ...(effort === undefined ? [] : [`effort ${effort}`]),
    ...(parallel === undefined ? [] : [`max_parallel ${String(parallel)}`]),
    ...(tools === undefined ? [] : [`tools ${tools.join(", ")}`]),
  ];
  return said.length === 0 ? [] : ["", `Unless you say otherwise: ${said.join(", ")}`];
}
