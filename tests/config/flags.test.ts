import { Command } from "commander";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { addRunOptions } from "../../src/cli/parse/run-options.ts";
import { BadFlagError, suggestChoice } from "../../src/config/errors.ts";
import { parseDurationFlag, parseToolList, readFlag } from "../../src/config/flags.ts";
import { allOptions, OPTIONS } from "../../src/config/settings.ts";

const parseBudget = (_: string, text: string) => readFlag(OPTIONS.budgetMicroUsd, text);
const parseEffort = (_: string, text: string) => readFlag(OPTIONS.effort, text);
const parsePositiveInt = (_: string, text: string) => readFlag(OPTIONS.maxParallel, text);

describe("flag values", () => {
  it("are converted to the units of a run", () => {
    expect(parseBudget("--budget", "10.50")).toBe(10_500_000);
    expect(parseBudget("--budget", "none")).toBeNull();
    expect(parseDurationFlag("--timeout", "20m")).toBe(1_200_000);
    expect(parseDurationFlag("--timeout", "0")).toBe(0);
    expect(parsePositiveInt("--max-parallel", "16")).toBe(16);
    expect(parseEffort("--effort", "xhigh")).toBe("xhigh");
    expect(parseEffort("--effort", "default")).toBeNull();
  });

  it.each([
    ["--budget", "", parseBudget],
    ["--budget", "0", parseBudget],
    ["--budget", "-5", parseBudget],
    ["--budget", "5 dollars", parseBudget],
    ["--budget", "Infinity", parseBudget],
    ["--timeout", "", parseDurationFlag],
    ["--timeout", "-1", parseDurationFlag],
    ["--timeout", "10 minutes", parseDurationFlag],
    ["--max-parallel", "0", parsePositiveInt],
    ["--max-parallel", "1.5", parsePositiveInt],
    ["--max-parallel", "many", parsePositiveInt],
    ["--effort", "very", parseEffort],
    ["--tools", "Bash(git", parseToolList],
    ["--tools", "Bash)", parseToolList],
  ])("%s %j is rejected with the flag, the value and the expected value", (flag, value, parse) => {
    expect(() => parse(flag, value)).toThrow(BadFlagError);
    expect(() => parse(flag, value)).toThrow(`${flag} cannot be "${value}": expected `);
  });
});

it("there is a flag for every setting, called like its key", () => {
  const names = addRunOptions(new Command(), null).options.map((option) => option.long);

  for (const { key } of allOptions()) expect(names).toContain(`--${key.replaceAll("_", "-")}`);
});

describe("parseToolList", () => {
  it.each([
    ["Read,Write", ["Read", "Write"]],
    ["Read Write", ["Read", "Write"]],
    [
      " Read , Bash(git commit *),Edit(src/a, b.ts) ",
      ["Read", "Bash(git commit *)", "Edit(src/a, b.ts)"],
    ],
    ["mcp__server__tool", ["mcp__server__tool"]],
    ["", []],
    ["default", null],
  ])("reads %j", (text, tools) => {
    expect(parseToolList("--tools", text)).toEqual(tools);
  });

  it("splits any list that was joined by commas", () => {
    const tool = fc
      .tuple(
        fc.stringMatching(/^[A-Za-z_]{1,8}$/),
        fc.option(fc.stringMatching(/^[a-z ,*:]{0,8}$/)),
      )
      .map(([name, rule]) => (rule === null ? name : `${name}(${rule})`));
    fc.assert(
      fc.property(fc.array(tool, { minLength: 2, maxLength: 5 }), (tools) => {
        expect(parseToolList("--tools", tools.join(","))).toEqual(tools);
      }),
    );
  });
});

describe("a value similar to a valid choice", () => {
  it.each([
    [OPTIONS.effort, "hgih", "Did you mean high? "],
    [OPTIONS.onAsk, "wiat", "Did you mean wait? "],
    [OPTIONS.effort, "enormous", ""],
    [OPTIONS.timeoutMs, "sucha", ""],
  ])("is suggested: %#", (option, value, meant) => {
    let hint: unknown;
    try {
      readFlag(option, value);
    } catch (error) {
      hint = error instanceof BadFlagError ? error.hint : null;
    }
    expect(hint).toMatch(new RegExp(`^${meant.replace("?", "\\?")}Show the options`));
  });

  it("is suggested for lists and variables", () => {
    const { hint } = new BadFlagError("--status", "faild", "one of running, failed, completed");
    expect(hint).toMatch(/^Did you mean failed\? /);
    expect(suggestChoice("hgih", OPTIONS.effort.expects)).toBe("Did you mean high? ");
  });
});
