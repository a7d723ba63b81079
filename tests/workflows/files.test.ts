import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readTransitions } from "../../src/language/protocol/output-elements.ts";
import { readReply } from "../../src/language/protocol/reply.ts";
import type { PromptFile } from "../../src/language/workflow/files/state-file.ts";
import { impliedTransition, ruleProblem } from "../../src/language/workflow/policy/policy.ts";
import { resolveState, resolveTransition } from "../../src/language/workflow/resolve.ts";
import { allows } from "../support/workflow/rules.ts";
import { readSample, SAMPLES, type Sample, SCRIPTS, WORKFLOWS, writtenTags } from "./sample.ts";

function prompts({ states }: Sample): readonly PromptFile[] {
  return states.flatMap((state) => (state.kind === "prompt" ? [state] : []));
}

function scripts({ names }: Sample, ending: string): readonly string[] {
  return names.filter((name) => name.endsWith(ending));
}

/** Whether it is a gate: only its exit code matters. */
function isGate(sample: Sample, script: string): boolean {
  const rules = prompts(sample).flatMap((prompt) => prompt.rules ?? []);
  return rules.some(({ verify }) => verify !== undefined && script.startsWith(`${verify.state}.`));
}

/** Why a tag of this state leads nowhere; null if it is valid. */
function problemOf(text: string, { rules }: PromptFile, names: readonly string[]): string | null {
  const read = readTransitions(readReply(text));
  if (!read.ok) {
    if (read.fault.code === "no-tag" && impliedTransition(rules) !== null) return null;
    return read.fault.message;
  }
  const cases = SCRIPTS.flatMap(([platform]) =>
    read.transitions.map((transition) => ({ transition, platform })),
  );
  for (const { transition, platform } of cases) {
    const resolved = resolveTransition(transition, names, platform);
    if (!resolved.ok) return resolved.fault.message;
    if (!allows(rules, resolved.transition, names, platform)) return "the rules do not allow it";
  }
  return null;
}

describe.each(SAMPLES)("workflows/%s", (name) => {
  const sample = readSample(name);

  it("has no lint warnings", () => {
    const warned = sample.states.flatMap((state) =>
      state.warnings.map(({ line, message }) => `${state.name}:${String(line)}: ${message}`),
    );

    expect(warned).toEqual([]);
  });

  it("has rules for each prompt", () => {
    const free = prompts(sample).filter(({ rules }) => rules === null);

    expect(free.map((prompt) => prompt.name)).toEqual([]);
  });

  it.each(SCRIPTS)("has satisfiable rules on %s", (platform) => {
    const problems = prompts(sample).map(({ rules }) => ruleProblem(rules, sample.names, platform));

    expect(problems.filter((problem) => problem !== null)).toEqual([]);
  });

  it("ends each prompt with an instruction to stop, and shows only allowed tags", () => {
    for (const prompt of prompts(sample)) {
      expect(prompt.body, prompt.name).toContain("STOP");
      for (const element of readReply(prompt.body).elements) {
        const tag = element.attributes.map(([key, value]) => ` ${key}="${value}"`).join("");
        const shown = `<${element.tag}${tag}>${element.content}</${element.tag}>`;
        expect(problemOf(shown, prompt, sample.names), `${prompt.name}: ${shown}`).toBeNull();
      }
    }
  });

  it("shows each transition of a prompt, unless there is only one", () => {
    for (const { name: state, body, rules } of prompts(sample)) {
      if (impliedTransition(rules) !== null) continue;
      for (const rule of rules ?? []) {
        const shown =
          rule.tag === "result" ? "</result>" : `>${rule.path ?? rule.target ?? ""}</${rule.tag}>`;
        expect(body, state).toContain(shown);
      }
    }
  });

  it("has each script for both platforms", () => {
    const [unix, windows] = SCRIPTS.map(([, ending]) =>
      scripts(sample, ending).map((file) => file.slice(0, -ending.length)),
    );

    expect(unix).toEqual(windows);
  });

  it("has the same tags and timeouts in both variants of a script", () => {
    for (const script of scripts(sample, ".sh")) {
      const batch = script.replace(/\.sh$/, ".bat");
      const both = [script, batch].map((file) => {
        const tags = writtenTags(sample, file).map((tag) => JSON.stringify(tag));
        const state = sample.states.find((other) => other.name === file);
        return { tags: [...new Set(tags)].sort(), timeoutMs: state?.timeoutMs };
      });

      expect(both[1], batch).toEqual(both[0]);
      if (script !== "SCRIPT_FAIL.sh" && script !== "SCRIPT_NO_TAG.sh" && !isGate(sample, script)) {
        expect(both[0]?.tags, script).not.toEqual([]);
      }
    }
  });

  it.each(SCRIPTS)("has scripts with valid targets on %s", (platform, ending) => {
    for (const script of scripts(sample, ending)) {
      for (const { target, returnTo, next } of writtenTags(sample, script)) {
        const named = [target === "" ? null : target, returnTo, next];
        const wrong = named
          .filter((state) => state !== null && target !== "NOWHERE")
          .filter((state) => !resolveState(sample.names, state ?? "", platform).ok);
        expect(wrong, script).toEqual([]);
      }
    }
  });

  it("has scripts that bash and cmd can parse", () => {
    for (const script of scripts(sample, ".sh")) {
      execFileSync("bash", ["-n", join(sample.dir, script)]);
      expect(sample.text(script), script).toMatch(/^#!\/bin\/bash\n/);
    }
    for (const script of scripts(sample, ".bat")) {
      const text = sample.text(script);
      // cmd needs CRLF for labels and parentheses, and ASCII because code pages differ.
      expect(text, script).toMatch(/^@echo off\r\n/);
      expect(text.replaceAll("\r\n", ""), script).not.toMatch(/[\r\n]|[^\t -~]/);
    }
  });

  it("simulates exactly its prompts", () => {
    // States of a nested workflow are not checked here.
    const simulated = [...sample.simulation.states.keys()]
      .filter((key) => !key.includes("/"))
      .sort();

    expect(simulated).toEqual(prompts(sample).map((prompt) => prompt.name));
  });

  it("has only simulated replies that the rules allow", () => {
    for (const prompt of prompts(sample)) {
      for (const reply of sample.simulation.states.get(prompt.name)?.replies ?? []) {
        if (reply.kind === "failure") continue;
        expect(
          problemOf(reply.text, prompt, sample.names),
          `${prompt.name}: ${reply.text}`,
        ).toBeNull();
      }
    }
  });

  it("is in the list of sample workflows", () => {
    expect(readFileSync(join(WORKFLOWS, "README.md"), "utf8")).toContain(`| [${name}](${name}) |`);
  });
});
