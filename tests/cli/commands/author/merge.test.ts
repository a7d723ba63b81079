import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runCommandLine } from "../../../../src/cli/parse/tree.ts";
import { RaymondError } from "../../../../src/language/basics/errors.ts";
import { ALONE } from "../../../support/fleet/repository.ts";
import { tempFolder } from "../../../support/folders.ts";
import { testShell } from "../../../support/test-shell.ts";

/** A repository whose branches a, b and c change these files of `main`. */
async function repository() {
  const dir = await tempFolder();
  const git = (...args: readonly string[]) => {
    const named = ["-c", "user.name=Test", "-c", "user.email=test@localhost"];
    const options = { cwd: dir, env: ALONE, encoding: "utf8" } as const;
    return execFileSync("git", [...named, ...args], { ...options, stdio: "pipe" }).trim();
  };
  const write = (name: string, text: string) => {
    writeFileSync(path.join(dir, name), text);
  };
  const read = (name: string) => readFileSync(path.join(dir, name), "utf8");
  git("init", "--quiet", "--initial-branch=main");
  write("one", "1\n");
  write("binary", "\0one");
  git("add", "--all");
  git("commit", "--quiet", "-m", "first");
  const branch = (name: string, files: Readonly<Record<string, string>>) => {
    git("checkout", "--quiet", "-b", name, "main");
    for (const [file, text] of Object.entries(files)) write(file, text);
    git("add", "--all");
    git("commit", "--quiet", "-m", name);
    git("checkout", "--quiet", "main");
  };
  const merge = async (...words: readonly string[]) => {
    const shell = { ...testShell(dir), env: { ...process.env, ...ALONE } };
    const error = await runCommandLine(["node", "raymond", "merge", ...words], shell).catch(
      (reason: unknown) => reason,
    );
    const problem = error instanceof RaymondError ? error.message : null;
    return { problem, stdout: shell.stdout(), stderr: shell.stderr(), code: shell.code() };
  };
  return { dir, git, write, read, branch, merge };
}

describe("raymond merge", () => {
  it("merges one branch after the other, also those that are merged", async () => {
    const { git, read, branch, merge } = await repository();
    branch("a", { a: "a\n" });
    branch("b", { b: "b\n" });

    const done = await merge("a", "b", "a", "--json");

    expect(JSON.parse(done.stdout)).toEqual({ merged: ["a", "b", "a"], conflict: null });
    expect(read("a") + read("b")).toBe("a\nb\n");
    expect(git("status", "--porcelain")).toBe("");
  });

  it("stops at a conflict, and continues with the other branches when it is resolved", async () => {
    const { git, write, read, branch, merge } = await repository();
    branch("a", { one: "a\n" });
    branch("b", { one: "b\n" });
    branch("c", { c: "c\n" });

    const stopped = await merge("a", "b", "c", "--json");
    expect(JSON.parse(stopped.stdout)).toEqual({
      merged: ["a"],
      conflict: { branch: "b", files: ["one"] },
    });
    expect(stopped.code).toBe(1);
    expect((await merge("c")).problem).toContain("another merge is in progress");
    expect((await merge("--continue")).code).toBe(1);
    write("one", "a and b\n");
    const done = await merge("--continue", "--json");

    expect(JSON.parse(done.stdout)).toEqual({ merged: ["b", "c"], conflict: null });
    expect(read("one") + read("c")).toBe("a and b\nc\n");
    expect(git("status", "--porcelain")).toBe("");
    expect((await merge("--continue")).problem).toContain("no merge of raymond is in progress");
  });

  it("leaves files without conflict markers to be staged", async () => {
    const { git, write, branch, merge } = await repository();
    branch("a", { binary: "\0a" });
    branch("b", { binary: "\0b" });
    await merge("a", "b");

    expect((await merge("--continue")).code).toBe(1);
    write("binary", "\0both");
    git("add", "binary");

    expect((await merge("--continue")).code).toBe(0);
    expect(git("show", "HEAD:binary")).toBe("\0both");
  });

  it("continues after the merge was committed or aborted by git", async () => {
    const { git, write, branch, merge } = await repository();
    branch("a", { one: "a\n" });
    branch("b", { one: "b\n" });
    branch("c", { c: "c\n" });
    await merge("a", "b", "c");

    git("merge", "--abort");
    expect(JSON.parse((await merge("--continue", "--json")).stdout)).toMatchObject({
      conflict: { branch: "b" },
    });
    write("one", "both\n");
    git("commit", "--quiet", "--all", "-m", "by hand");

    const done = await merge("--continue", "--json");
    expect(JSON.parse(done.stdout)).toEqual({ merged: ["b", "c"], conflict: null });
  });

  it("refuses uncommitted changes that are in the way, and commits them with --commit-changes", async () => {
    const { git, write, read, branch, merge } = await repository();
    write("one", "1\n2\n3\n4\n5\n");
    git("commit", "--quiet", "--all", "-m", "second");
    branch("a", { one: "1\n2\n3\n4\na\n" });
    write("one", "0\n2\n3\n4\n5\n");
    write("new", "new\n");

    const refused = await merge("a");
    expect(refused.problem).toContain("would be overwritten by merge");
    expect(git("status", "--porcelain")).toBe("M one\n?? new");
    const done = await merge("a", "--commit-changes");

    expect(done.code).toBe(0);
    expect(read("one")).toBe("0\n2\n3\n4\na\n");
    expect(git("log", "--format=%s", "main")).toContain("raymond: files before the merge");
    expect(git("show", "HEAD:new")).toBe("new");
  });

  it("runs no hook, and takes no option and no commit for a branch", async () => {
    const { dir, git, write, read, branch, merge } = await repository();
    branch("a", { a: "a\n" });
    git("config", "core.hooksPath", ".");
    git("config", "commit.gpgSign", "true");
    for (const hook of ["pre-merge-commit", "commit-msg", "post-merge"])
      write(hook, "#!/bin/sh\ntouch ran\n");
    execFileSync("chmod", ["+x", "pre-merge-commit", "commit-msg", "post-merge"], { cwd: dir });
    git("commit", "--quiet", "--allow-empty", "--no-verify", "--no-gpg-sign", "-m", "second");

    expect((await merge("a")).code).toBe(0);
    expect(() => read("ran")).toThrow();
    expect((await merge("HEAD~1")).problem).toContain("has no such branch");
    expect((await merge("--", "--abort")).problem).toContain("has no such branch");
    expect((await merge()).problem).toContain("requires branches or --joined");
  });
});
