import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePermission, printPermission } from "../../../src/language/permissions/permission.ts";
import { permissionOfRule } from "../../../src/language/permissions/tool-rule.ts";

describe("parsePermission", () => {
  it.each([
    ["command(npm test *)", "command", "npm test *"],
    [" read( .env ) ", "read", ".env"],
    ["write(/srv/data/**)", "write", "/srv/data/**"],
    ["write(~/notes)", "write", "~/notes"],
    ["write(C:/work)", "write", "C:/work"],
    ["network(*.example.com)", "network", "*.example.com"],
    ["tool(mcp__github__*)", "tool", "mcp__github__*"],
  ])("reads %j", (text, kind, value) => {
    expect(parsePermission(text)).toEqual({ ok: true, permission: { kind, value } });
  });

  it.each([
    ["npm test", "is not written as KIND(VALUE)"],
    ["comand(npm test)", 'has the unknown kind "comand" (did you mean command?)'],
    ["x(y)", 'has the unknown kind "x"; kinds: command, read, write, network, tool'],
    ["read( )", "has no value in its parentheses"],
    ["command(a, b)", "contains a parenthesis or a comma; use * for that part"],
    ["command(a) b)", "contains a parenthesis or a comma; use * for that part"],
    ["command(a\nb)", "contains a line break or a control character"],
    ["command(git log:*)", "ends with :*; write a space before the * instead of the colon"],
    ["write(../x)", "contains ..; write the absolute path"],
    ["write(a\\b)", "contains a backslash; separate folders with /"],
    ["write(a\u200bb)", "contains a line break or a control character"],
    ["read(a?b)", "has characters other than letters, digits, blanks, * and ._-+@=~/"],
    [
      "network(https://example.com)",
      "must name a host, such as example.com or *.example.com, or be *",
    ],
    ["tool(Bash rm)", "must name a tool, such as WebSearch or mcp__server__*"],
  ])("refuses %j: it %s", (text, problem) => {
    expect(parsePermission(text)).toEqual({ ok: false, problem });
  });

  it("reads what it prints, and never throws", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.stringMatching(/^(command|read|tool)\(.*\)$/)),
        (text) => {
          const parsed = parsePermission(text);
          if (parsed.ok)
            expect(parsePermission(printPermission(parsed.permission))).toEqual(parsed);
        },
      ),
    );
  });
});

describe("permissionOfRule", () => {
  it.each([
    ["Bash(npm test)", "command(npm test)"],
    ["Bash(git log:*)", "command(git log *)"],
    ["Bash", "command(*)"],
    ["WebFetch", "network(*)"],
    ["WebFetch(domain:example.com)", "network(example.com)"],
    ["mcp__github__search", "tool(mcp__github__search)"],
    ["Edit(src/**)", null],
    ["Bash(a, b)", null],
  ])("of %j is %j", (rule, permission) => {
    expect(permissionOfRule(rule)).toBe(permission);
  });
});
