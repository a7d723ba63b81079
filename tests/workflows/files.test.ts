import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readReply } from "../../src/core/protocol/reply.ts";
import { readTransitions } from "../../src/core/protocol/row.ts";
import { impliedTransition, ruleProblem } from "../../src/core/workflow/policy.ts";
import { resolveState, resolveTransition } from "../../src/core/workflow/resolve.ts";
import type { PromptFile } from "../../src/core/workflow/state-file.ts";
import { allows } from "../support/rules.ts";
import { readSample, SAMPLES, type Sample, SCRIPTS, WORKFLOWS, writtenTags } from "./sample.ts";

function prompts({ states }: Sample): readonly PromptFile[] {
  return states.flatMap((state) => (state.kind === "prompt" ? [state] : []));
}

function scripts({ names }: Sample, ending: string): readonly string[] {
  return names.filter((name) => name.endsWith(ending));
}

/** Whether its exit code is all that it says: some rule has it for its gate. */
function isGate(sample: Sample, script: string): boolean {
  const rules = prompts(sample).flatMap((prompt) => prompt.rules ?? []);
  return rules.some(({ verify }) => verify !== undefined && script.startsWith(`${verify.state}.`));
}

/** What a tag must be to lead anywhere from this state; else why it does not. */
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

  it("has no state about which raymond would warn", () => {
    const warned = sample.states.flatMap((state) =>
      state.warnings.map(({ line, message }) => `${state.name}:${String(line)}: ${message}`),
    );

    expect(warned).toEqual([]);
  });

  it("has rules for each prompt, so that a model can be reminded", () => {
    const free = prompts(sample).filter(({ rules }) => rules === null);

    expect(free.map((prompt) => prompt.name)).toEqual([]);
  });

  it.each(SCRIPTS)("has rules that can be met on %s", (platform) => {
    const problems = prompts(sample).map(({ rules }) => ruleProblem(rules, sample.names, platform));

    expect(problems.filter((problem) => problem !== null)).toEqual([]);
  });

  it("tells a model in each prompt to stop, and shows it only tags that are allowed", () => {
    for (const prompt of prompts(sample)) {
      expect(prompt.body, prompt.name).toContain("STOP");
      for (const element of readReply(prompt.body).elements) {
        const tag = element.attributes.map(([key, value]) => ` ${key}="${value}"`).join("");
        const shown = `<${element.tag}${tag}>${element.content}</${element.tag}>`;
        expect(problemOf(shown, prompt, sample.names), `${prompt.name}: ${shown}`).toBeNull();
      }
    }
  });

  it("shows each way on that a prompt has, unless there is only one", () => {
    for (const { name: state, body, rules } of prompts(sample)) {
      if (impliedTransition(rules) !== null) continue;
      for (const rule of rules ?? []) {
        const shown =
          rule.tag === "result" ? "</result>" : `>${rule.path ?? rule.target ?? ""}</${rule.tag}>`;
        expect(body, state).toContain(shown);
      }
    }
  });

  it("has scripts in pairs, one for each platform", () => {
    const [unix, windows] = SCRIPTS.map(([, ending]) =>
      scripts(sample, ending).map((file) => file.slice(0, -ending.length)),
    );

    expect(unix).toEqual(windows);
  });

  it("has pairs of scripts that print the same tags and have the same time", () => {
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

  it.each(SCRIPTS)("has scripts whose tags lead somewhere on %s", (platform, ending) => {
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

  it("has shell scripts that bash can parse, and batch files that cmd can", () => {
    for (const script of scripts(sample, ".sh")) {
      execFileSync("bash", ["-n", join(sample.dir, script)]);
      expect(sample.text(script), script).toMatch(/^#!\/bin\/bash\n/);
    }
    for (const script of scripts(sample, ".bat")) {
      const text = sample.text(script);
      // Labels and parentheses go wrong with bare line feeds; code pages differ past ASCII.
      expect(text, script).toMatch(/^@echo off\r\n/);
      expect(text.replaceAll("\r\n", ""), script).not.toMatch(/[\r\n]|[^\t -~]/);
    }
  });

  it("has a simulation of nothing but its prompts", () => {
    // Those of a workflow inside are its own to name.
    const simulated = [...sample.simulation.states.keys()]
      .filter((key) => !key.includes("/"))
      .sort();

    expect(simulated).toEqual(prompts(sample).map((prompt) => prompt.name));
  });

  it("has only simulated replies that their states allow", () => {
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

  it("stands in the list of sample workflows", () => {
    expect(readFileSync(join(WORKFLOWS, "README.md"), "utf8")).toContain(`| [${name}](${name}) |`);
  });
});
