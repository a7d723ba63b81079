import { describe, expect, it } from "vitest";
import { withAsked } from "../../../src/machine/decide/asked-item.ts";

describe("the item of a state that describes a denied call", () => {
  it.each([
    ["command(node *)", "Bash", "node x.js"],
    ["command(node *)", "Bash", "node"],
    ["command(npm test)", "Bash", "cd a && npm test"],
    ["command(*)", "Bash", "anything"],
    ["network(*.example.com)", "WebFetch", "https://docs.example.com/x"],
    ["read(~/notes)", "Read", "/home/a/notes/b.md"],
    ["write(src/**)", "Edit", "/p/src/a.ts"],
    ["write(src)", "Write", "/p/src/a.ts"],
    ["tool(mcp__a__*)", "mcp__a__b", ""],
  ])("%s: %s %s", (item, tool, input) => {
    expect(withAsked({ tool, input }, ["command(other)", item])).toEqual({
      tool,
      input,
      asked: item,
    });
  });

  it.each([
    ["command(node *)", "Bash", "nodejs x.js"],
    ["command(a.c)", "Bash", "abc"],
    ["command(node *)", "Write", "node x.js"],
    ["network(example.com)", "WebFetch", "no address"],
    ["network(example.com)", "WebFetch", "https://example.org"],
    ["write(src)", "Write", "/p/other"],
    ["tool(WebSearch)", "Bash", "ls"],
    ["no item", "Bash", "ls"],
  ])("is not %s for %s %s", (item, tool, input) => {
    expect(withAsked({ tool, input }, [item])).toEqual({ tool, input });
  });
});
