import { describe, expect, it } from "vitest";
import { clientArgs } from "../../../src/clients/claude/args.ts";
import { allowRules, exactArgument } from "../../../src/clients/claude/grants.ts";
import { invocation } from "../../contracts/backend.ts";
import { tempFolder } from "../../support/folders.ts";

describe("a denied call of the client", () => {
  it.each([
    ["Bash", { command: "npm test" }, "npm test"],
    ["Bash", { command: "cat <<X\na\nX" }, "cat <<X\na\nX"],
    ["Write", { file_path: "/tmp/a b(1).md", content: "x" }, "/tmp/a b(1).md"],
    ["NotebookEdit", { notebook_path: "/tmp/n.ipynb" }, "/tmp/n.ipynb"],
  ])("can be allowed exactly: %s %j", (tool, input, exact) => {
    expect(exactArgument(tool, input)).toBe(exact);
  });

  it.each([
    ["Bash", { command: "rm *" }],
    ["Bash", { command: "rm \\*" }],
    ["Bash", { command: "npm:*" }],
    ["Bash", { command: "npm test\u001b[2K" }],
    ["Bash", { command: "npm test", dangerouslyDisableSandbox: true }],
    ["Bash", {}],
    ["Write", { file_path: "relative.md" }],
    ["Write", { file_path: "/" }],
    ["Write", { file_path: "//etc/passwd" }],
    ["Write", { file_path: "/tmp/" }],
    ["Write", { file_path: "/tmp/../etc/passwd" }],
    ["Write", { file_path: "/tmp/a?.md" }],
    ["Edit", { file_path: "/tmp/[ab].md" }],
    ["WebFetch", { url: "https://x.example/a" }],
    ["mcp__x__y", { command: "a" }],
    ["toString", { command: "a" }],
  ])("does not allow %j exactly: %j", (tool, input) => {
    expect(exactArgument(tool, input)).toBeUndefined();
  });
});

describe("the rules for allowed calls", () => {
  it("have no parenthesis or backslash that could end a rule", async () => {
    const grants = [
      { tool: "Bash", argument: "a), Bash(rm \\" },
      { tool: "Write", argument: "/none/here (1).md" },
    ];
    expect(await allowRules(grants)).toEqual([
      "Bash(a\\), Bash\\(rm \\\\)",
      "Edit(//none/here \\(1\\).md)",
    ]);
  });

  it("are empty without an allowed call", async () => {
    expect(await allowRules([])).toEqual([]);
    expect(await allowRules([{ tool: "WebFetch", argument: "https://x.example" }])).toEqual([]);
  });

  it("never allows a folder, whose content the rule would include", async () => {
    const folder = await tempFolder();
    expect(await allowRules([{ tool: "Write", argument: folder }])).toEqual([]);
  });

  it("stand in the settings of the client, beside those of a sandbox", () => {
    const sandbox = { writable: ["/repo"], network: false };
    const settings = (changes: object) => {
      const args = clientArgs(invocation(changes), undefined, ["Bash(npm test)"]);
      const all = args.filter((arg) => arg.startsWith("--settings="));
      expect(all).toHaveLength(1);
      return JSON.parse((all[0] ?? "").replace("--settings=", "")) as unknown;
    };
    expect(settings({})).toEqual({ permissions: { allow: ["Bash(npm test)"] } });
    expect(settings({ sandbox })).toMatchObject({
      sandbox: { enabled: true },
      permissions: { additionalDirectories: ["/repo"], allow: ["Bash(npm test)"] },
    });
  });
});
