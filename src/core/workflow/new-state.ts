import { printTransition } from "../protocol/print.ts";
import type { Transition } from "../protocol/transition.ts";
import { type Extension, extensionOf } from "./state-name.ts";

/**
 * The text of a state to begin with, which may lead to these states by goto, or
 * gives a result where there are none. The name has its extension; `schema` is
 * the comment of front matter that names its schema to editors.
 */
export function newState(name: string, targets: readonly string[], schema: string): string {
  const ways: readonly Transition[] =
    targets.length === 0
      ? [{ tag: "result", payload: "what came out" }]
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
${schema}# Where this state may lead; a model that says anything else is reminded of it (raymond help tags).
# model, effort, tools, timeout and more may stand here too.
allowed_transitions:
${rules.join("\n")}
---
Say here what is to be done in this step, and where to read what is needed for it.

STOP when it is done. Leave alone what belongs to later steps.
${ending(ways, tags)}`;
}

/** With one way on by goto no tag is needed. */
function ending(ways: readonly Transition[], tags: readonly string[]): string {
  const [only, other] = ways;
  if (other === undefined) {
    return only?.tag === "goto"
      ? ""
      : `Put what came out between these tags:\n\n${tags.join("\n")}\n`;
  }
  return `Then end with one of these lines, and say before when each of them is right:\n\n${tags.join("\n")}\n`;
}

function script(extension: Exclude<Extension, ".md">, tags: readonly string[]): string {
  const [first = "", ...others] = tags;
  const words =
    "Say here what this does. It may be run twice: a step that was cut off is run again.";
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

/** As a batch file writes angle brackets. */
function escaped(tag: string): string {
  return tag.replaceAll(/[<>]/g, "^$&");
}
