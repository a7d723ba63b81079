import { describe, expect, it } from "vitest";
import { lintWorkflow } from "../../../src/analysis/lint/lint-workflow.ts";
import { lintFacts } from "../../support/workflow/lint-facts.ts";

function found(files: Readonly<Record<string, string>>): readonly string[] {
  return lintWorkflow(lintFacts(files))
    .filter(({ rule }) => rule === "RAY605")
    .map(({ source, at, message }) => `${source}:${String(at.line)}: ${message}`);
}

const OPUS = "---\nmodel: opus\n---\n";
const HAIKU = "---\nmodel: haiku\n---\n";
const END = "End with <result>x</result>";

describe("RAY605", () => {
  it("names the place, both states and both values", () => {
    const files = {
      "START.md": `${OPUS}Do it.\nThen <goto>NEXT</goto>`,
      "NEXT.md": `---\nmodel: haiku\ntools: [Read, Edit]\n---\n${END}`,
    };

    expect(found(files)).toEqual([
      "START.md:5: NEXT.md continues the conversation of START.md with another model (haiku instead of opus) and other tools (Edit, Read instead of the default tools), so the provider cannot use its cache of the conversation.",
    ]);
  });

  it("uses the defaults of workflow.yaml for states that declare nothing", () => {
    const files = { "START.md": `${OPUS}<goto>NEXT</goto>`, "NEXT.md": END };

    expect(found({ ...files, "workflow.yaml": "model: opus\n" })).toEqual([]);
    expect(found({ ...files, "workflow.yaml": "model: haiku\n" })).toHaveLength(1);
    expect(found(files)).toHaveLength(1);
  });

  it("ignores the order of tools, and all other keys", () => {
    const start = "---\ntools: [Read, Edit]\neffort: high\n---\n<goto>NEXT</goto>";
    const next = `---\ntools: [Edit, Read]\nallowed_tools: [Edit]\neffort: low\n---\n${END}`;

    expect(found({ "START.md": start, "NEXT.md": next })).toEqual([]);
  });

  it("reports tools that are denied as a whole, which the client does not send", () => {
    const next = (denied: string) => `---\ndisallowed_tools: [${denied}]\n---\n${END}`;
    const start = { "START.md": "<goto>NEXT</goto>" };

    expect(found({ ...start, "NEXT.md": next("Bash(git push:*)") })).toEqual([]);
    expect(found({ ...start, "NEXT.md": next("WebFetch, Bash(git push:*)") })).toEqual([
      expect.stringContaining("(the default tools without WebFetch instead of the default tools)"),
    ]);
  });

  it("follows the conversation through scripts, joins and questions", () => {
    const files = {
      "START.md": `${OPUS}<goto>SEND</goto>`,
      "SEND.sh": "echo '<fork next=\"WAIT\">WORK</fork>'",
      "WORK.md": `${HAIKU}${END}`,
      "WAIT.sh": "echo '<join>ASK</join>'",
      "ASK.sh": "echo '<ask next=\"NEXT\">Well?</ask>'",
      "NEXT.md": `${HAIKU}${END}`,
    };

    expect(found(files).map((line) => line.slice(0, 55))).toEqual([
      "ASK.sh:1: NEXT.md continues the conversation of START.m",
    ]);
  });

  it.each(["reset", "function", "fork"])("accepts a new conversation by <%s>", (tag) => {
    const attribute = { reset: "", function: ' return="END"', fork: ' next="END"' }[tag] ?? "";
    const files = {
      "START.md": `${OPUS}<${tag}${attribute}>NEXT</${tag}>`,
      "NEXT.md": `${HAIKU}${END}`,
      "END.md": `${OPUS}${END}`,
    };

    expect(found(files)).toEqual([]);
  });

  it("compares the state after a call with its caller, and the called state as well", () => {
    const files = {
      "START.md": `${OPUS}<call return="BACK">CHILD</call>`,
      "CHILD.md": `${OPUS}${END}`,
      "BACK.md": `${HAIKU}${END}`,
    };

    expect(found(files)).toHaveLength(1);
    expect(found({ ...files, "BACK.md": `${OPUS}${END}` })).toEqual([]);
    expect(found({ ...files, "CHILD.md": `${HAIKU}${END}` })).toHaveLength(2);
  });

  it("compares a state entered by on_context with the conversation that was too large", () => {
    const limits = "max_context: 120k\non_context: SHORTEN\nmax_visits: 3";
    const files = {
      "START.md": `${OPUS}<goto>NEXT</goto>`,
      "NEXT.md": `---\nmodel: opus\n${limits}\n---\n${END}`,
      "SHORTEN.md": `${HAIKU}${END}`,
    };

    expect(found(files)).toEqual([
      expect.stringContaining("NEXT.md:4: SHORTEN.md continues the conversation of START.md"),
    ]);
  });
});
