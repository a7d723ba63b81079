import { describe, expect, it } from "vitest";
import { parseManifest } from "../../../../src/language/workflow/files/manifest.ts";
import { NO_WORKTREE } from "../../../../src/language/workflow/policy/worktree.ts";

const worktree = (text: string) => parseManifest(`worktree: ${text}\n`).worktree;

describe("worktree of a workflow.yaml", () => {
  it("is on or off for all forks, or a mapping", () => {
    expect(parseManifest("name: x\n").worktree).toEqual(NO_WORKTREE);
    expect(worktree("true")).toEqual({ ...NO_WORKTREE, fork: true });
    expect(worktree("{ setup: SETUP, copy: [.env.local, a/b.json], base: origin/main }")).toEqual({
      ...{ fork: false, setup: "SETUP", copy: [".env.local", "a/b.json"], base: "origin/main" },
    });
  });

  it.each([
    ["/etc/passwd"],
    ["../secret"],
    ["a/../../secret"],
    ["a//b"],
    ["./a"],
    [".git/config"],
    ["sub/.GIT/config"],
    ["a\\b"],
    ["C:/a"],
  ])("copies no file from %s", (file) => {
    expect(() => worktree(`{ copy: ["${file.replace("\\", "\\\\")}"] }`)).toThrow(
      "is not the path of a file in the repository",
    );
  });

  it.each([
    ["yes", "must be true, false or a mapping"],
    ["{ setup: a/b }", "The setup"],
    ["{ base: --upload-pack=x }", "is not a branch, tag or commit"],
    ["{ base: [main] }", "base must be a text"],
    ["{ fork: maybe }", "fork must be true or false"],
    ["{ copies: [] }", 'Unknown key "copies" of worktree'],
  ])("refuses %s", (text, problem) => {
    expect(() => worktree(text)).toThrow(problem);
  });
});
