import { printTransition } from "../../protocol/print.ts";
import type { Transition } from "../../protocol/transition.ts";
import { type Extension, extensionOf } from "./state-name.ts";

/**
 * The template of a new state that continues to `targets`, or ends with a result if there are none.
 * `name` has an extension. `schema` is the front matter comment that names the schema for editors.
 */
export function newState(name: string, targets: readonly string[], schema: string): string {
  const ways: readonly Transition[] =
    targets.length === 0
      ? [{ tag: "result", payload: "the result" }]
      : targets.map((target) => ({ tag: "goto", target }));
  const tags = ways.map(printTransition);
  const extension = extensionOf(name);
  if (extension === ".md") return prompt(ways, tags, schema);
  if (extension === null) throw new Error(`${name} is no state`);
  return script(extension, tags);
}

function prompt(ways: readonly Transition[], tags: readonly string[], schema: string): string {
  const rules = ways.map((way) =>
    way.tag === "goto" ? `  - { tag: goto, target: ${way.target} }` : `  - { tag: ${way.tag} }`,
  );
  return `---
${schema}# Allowed transitions. The model is reminded if it emits anything else (raymond help tags).
# Other keys: model, effort, tools, timeout and more.
allowed_transitions:
${rules.join("\n")}
---
Describe the task of this step here, and where to find its input.

STOP when it is done. Do not start on later steps.
${ending(ways, tags)}`;
}

/** A single goto is implied and needs no tag. */
function ending(ways: readonly Transition[], tags: readonly string[]): string {
  const [only, other] = ways;
  if (other === undefined) {
    return only?.tag === "goto"
      ? ""
      : `Write the result between these tags:\n\n${tags.join("\n")}\n`;
  }
  return `Explain when to use each of these tags. End with one of them:\n\n${tags.join("\n")}\n`;
}

function script(extension: Exclude<Extension, ".md">, tags: readonly string[]): string {
  const [first = "", ...others] = tags;
  const words = "Describe this script here. It may run twice: an interrupted step is repeated.";
  switch (extension) {
    case ".sh":
      return [
        "#!/bin/bash",
        "# raymond: timeout=10m",
        `# ${words}`,
        "set -euo pipefail",
        "",
        `echo '${first}'`,
        ...others.map((tag) => `# or: echo '${tag}'`),
        "",
      ].join("\n");
    case ".bat":
      return [
        "@echo off",
        "REM raymond: timeout=10m",
        `REM ${words}`,
        `echo ${escaped(first)}`,
        ...others.map((tag) => `REM or: echo ${escaped(tag)}`),
        "exit /b 0",
        "",
      ].join("\r\n");
    case ".ps1":
      return [
        "# raymond: timeout=10m",
        `# ${words}`,
        `Write-Output '${first}'`,
        ...others.map((tag) => `# or: Write-Output '${tag}'`),
        "",
      ].join("\r\n");
  }
}

/** Escapes angle brackets for a batch file. */
function escaped(tag: string): string {
  return tag.replaceAll(/[<>]/g, "^$&");
}
