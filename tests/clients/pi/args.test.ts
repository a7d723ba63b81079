import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { callArgs } from "../../../src/clients/pi/args.ts";
import { isWithheld, type ToolLimits, toolArgs } from "../../../src/clients/pi/tools.ts";
import { LEVELS } from "../../../src/language/permissions/permission.ts";
import { invocation } from "../../contracts/backend.ts";
import { propertyRuns } from "../../support/property-runs.ts";

const DEFAULT = "+read,+bash,+edit,+write";
const limits = (changes: Partial<ToolLimits> = {}): ToolLimits => ({
  ...{ level: "edit", allow: [], deny: [], tools: null, allowedTools: null, disallowedTools: null },
  ...changes,
});
const tool = (value: string) => ({ kind: "tool", value }) as const;
const EDIT = "read,grep,find,ls,edit,write";

describe("the arguments of a call to pi", () => {
  it("are complete, without the prompt", () => {
    const call = invocation({ prompt: "SECRET", model: "openai/gpt-5.5", effort: "xhigh" });

    expect(callArgs(call, "/s/1.jsonl", { kind: "ignore", files: [], warning: null })).toEqual([
      ...["-p", "--mode", "json", "--no-approve", "--model", "openai/gpt-5.5"],
      ...["--thinking", "xhigh", "--tools", EDIT, "--session", "/s/1.jsonl"],
    ]);
    expect(callArgs(invocation({ level: "full" }), "f", { kind: "load" })).toEqual([
      ...["-p", "--mode", "json", "--approve", "--tools", DEFAULT, "--session", "f"],
    ]);
  });

  it.each([
    ["nothing of its own", limits(), ["--tools", EDIT]],
    ["the level read-only", limits({ level: "read-only" }), ["--tools", "read,grep,find,ls"]],
    ["the level full", limits({ level: "full" }), ["--tools", DEFAULT]],
    ["an allowed tool", limits({ allow: [tool("bash")] }), ["--tools", `${EDIT},bash`]],
    ["a tool of an extension", limits({ allow: [tool("deploy")] }), ["--tools", `${EDIT},deploy`]],
    ["a denied tool", limits({ deny: [tool("write")] }), ["--tools", "read,grep,find,ls,edit"]],
    [
      "a denied tool of the level full",
      limits({ level: "full", deny: [tool("bash"), tool("deploy")] }),
      ["--tools", DEFAULT, "--exclude-tools", "bash,deploy"],
    ],
    [
      "a denied pattern of the level full",
      limits({ level: "full", deny: [tool("b*")] }),
      ["--tools", `${EDIT},powershell`],
    ],
    [
      "tools in the words of another agent",
      limits({ tools: ["Read", "Edit"] }),
      ["--tools", "read,edit"],
    ],
    ["tools beyond the level", limits({ tools: ["bash"] }), ["--no-tools"]],
    ["tools of the level full", limits({ level: "full", tools: ["Bash"] }), ["--tools", "bash"]],
    ["no tools", limits({ level: "full", tools: [] }), ["--no-tools"]],
    ["allowed_tools", limits({ allowedTools: ["Bash", "Bash(x)"] }), ["--tools", `${EDIT},bash`]],
    ["a part of a tool", limits({ allowedTools: ["Bash(git *)"] }), ["--tools", EDIT]],
    [
      "disallowed_tools, also for a part of a tool",
      limits({ level: "full", disallowedTools: ["Bash(git push *)"] }),
      ["--tools", DEFAULT, "--exclude-tools", "bash"],
    ],
  ])("contain the tools for %s", (_, given, args) => {
    expect(toolArgs(given)).toEqual(args);
  });

  it("never offer a denied tool, or a tool beyond the level that nothing allows", () => {
    const name = fc.constantFrom("read", "bash", "edit", "write", "deploy", "b*", "*");
    const names = fc.array(name, { maxLength: 3 });
    const items = names.map((values) => values.map(tool));
    const list = fc.option(fc.array(fc.constantFrom("Read", "bash", "write", "deploy")));
    const any = fc.record({
      ...{ level: fc.constantFrom(...LEVELS), allow: items, deny: items },
      ...{ tools: list, allowedTools: list, disallowedTools: list },
    });
    fc.assert(
      fc.property(any, (given) => {
        const [, value = "", , excluded = ""] = toolArgs(given);
        const listed = value.split(",");
        const offers = (one: string) =>
          (listed.includes(one) || listed.includes(`+${one}`)) &&
          !excluded.split(",").includes(one);
        for (const one of ["read", "bash", "edit", "write"]) {
          const isDenied = given.deny.some(({ value: item }) =>
            item.endsWith("*") ? one.startsWith(item.slice(0, -1)) : item === one,
          );
          if (isDenied || (given.disallowedTools ?? []).some((name) => name === one)) {
            expect(offers(one)).toBe(false);
          }
        }
        const allowsBash =
          given.allow.some(({ value: item }) => ["bash", "b*", "*"].includes(item)) ||
          given.allowedTools?.includes("bash") === true;
        if (given.level !== "full" && !allowsBash) expect(offers("bash")).toBe(false);
        if (offers("bash")) expect(isWithheld("bash", given)).toBe(false);
      }),
      { numRuns: propertyRuns(1_000) },
    );
  });
});
