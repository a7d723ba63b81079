import { chmod, lstat, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileChanges } from "../../src/workspaces/changes.ts";
import { contentOf, workingTree } from "../support/git/working-tree.ts";
import { propertyRuns } from "../support/property-runs.ts";

const REF = "refs/raymond/one/main";

describe("a snapshot", () => {
  it("contains new, changed and deleted files, and leaves index, branches, stash and hooks alone", async () => {
    const {
      git,
      top,
      write,
      snapshots: open,
    } = await workingTree({
      ".gitignore": "*.tmp\n",
      "a.txt": "a\n",
      "deep/b.txt": "b\n",
    });
    const ran = path.join(top, "ran.tmp");
    for (const hook of [
      "pre-commit",
      "post-commit",
      "post-index-change",
      "reference-transaction",
    ]) {
      await writeFile(path.join(top, ".git/hooks", hook), `#!/bin/sh\ntouch '${ran}'\n`, {
        mode: 0o755,
      });
    }
    await write("staged.txt", "staged\n");
    await git("add", "staged.txt");
    const before = [await git("status", "--porcelain"), await git("for-each-ref", "refs/heads")];
    await rm(ran, { force: true });
    const { snapshots } = await open();
    await write("new.txt", "new\n");
    await write("ignored.tmp", "ignored\n");
    await rm(path.join(top, "deep/b.txt"));

    const { commit, head, branch } = await snapshots.take("first");

    expect(await git("ls-tree", "-r", "--name-only", commit)).toBe(
      ".gitignore\na.txt\nnew.txt\nstaged.txt",
    );
    expect([head, branch]).toEqual([await git("rev-parse", "HEAD"), "main"]);
    expect(await git("rev-parse", REF)).toBe(commit);
    expect(await git("log", "-1", "--format=%P", commit)).toBe(head);
    expect(await contentOf(top)).not.toHaveProperty("ran.tmp");
    await rm(path.join(top, "new.txt"));
    await write("deep/b.txt", "b\n");
    expect([await git("status", "--porcelain"), await git("for-each-ref", "refs/heads")]).toEqual(
      before,
    );
  });

  it("is the last one if nothing has changed since", async () => {
    const { write, snapshots: open } = await workingTree({ "a.txt": "a\n" });
    const { snapshots } = await open();

    const first = await snapshots.take("first");
    const same = await snapshots.take("second");
    await write("a.txt", "b\n");
    const changed = await snapshots.take("third");

    expect(same).toEqual(first);
    expect(changed.commit).not.toBe(first.commit);
  });

  it("contains the bytes of files, whatever the attributes and filters of the repository say", async () => {
    const { git, top, write, snapshots: open } = await workingTree({ "a.txt": "a\n" });
    const ran = path.join(top, "..", "ran");
    await git("config", "filter.evil.clean", `touch '${ran}'; cat`);
    await git("config", "filter.evil.required", "true");
    await git("config", "core.autocrlf", "true");
    await git("config", "core.fsmonitor", `touch '${ran}'`);
    await git("config", "core.hooksPath", top);
    await write(
      ".gitattributes",
      "* text=auto filter=evil ident\n*.u16 working-tree-encoding=UTF-16\n",
    );
    await write("crlf.txt", "one\r\ntwo\r\n$Id: x $\r\n");
    await write("wide.u16", Buffer.from("\ufeffwide\n", "utf16le"));
    const { snapshots, writtenTo } = await open();

    const { commit } = await snapshots.take("first");

    expect(await contentOf(await writtenTo(commit))).toEqual(await contentOf(top));
    expect(await contentOf(path.dirname(ran))).not.toHaveProperty("ran");
  });

  it("contains tracked files that git ignores, also of a later commit", async () => {
    const { git, write, snapshots: open } = await workingTree({ ".gitignore": "*.log\n" });
    await write("a.log", "1\n");
    await git("add", "--force", "a.log");
    const { snapshots } = await open();
    await snapshots.take("first");
    await write("a.log", "2\n");
    await write("b.log", "b\n");
    await git("add", "--force", "b.log");

    const { commit } = await snapshots.take("second");

    expect(await git("show", `${commit}:a.log`)).toBe("2");
    expect(await git("show", `${commit}:b.log`)).toBe("b");
  });

  it("skips nested repositories, submodules and large files, and names them", async () => {
    const { git, top, write, snapshots: open } = await workingTree({ "a.txt": "a\n" });
    const inner = path.join(top, "inner");
    const empty = path.join(top, "empty");
    for (const folder of [inner, empty]) {
      await mkdir(folder);
      await git("-C", folder, "init", "--quiet");
      await writeFile(path.join(folder, "x"), "x\n");
    }
    await git("-C", inner, "add", "x");
    await git("-C", inner, "commit", "--quiet", "--message", "inner");
    await git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner, "module");
    await write("large.bin", Buffer.alloc(11 * 1024 * 1024, 7));
    const { snapshots, skipped } = await open();

    const { commit } = await snapshots.take("first");

    expect(await git("ls-tree", "-r", "--name-only", commit)).toBe(".gitmodules\na.txt");
    expect(Object.fromEntries(skipped)).toEqual({
      "empty/": "repository",
      "inner/": "repository",
      "large.bin": "large",
      "module/": "repository",
    });
  });

  it("keeps the last content of a file that has grown beyond the limit", async () => {
    const { git, write, snapshots: open } = await workingTree({ "a.txt": "a\n" });
    const { snapshots } = await open();
    await snapshots.take("first");
    await write("a.txt", Buffer.alloc(11 * 1024 * 1024, 7));
    await write("b.txt", "b\n");

    const { commit } = await snapshots.take("second");

    expect(await git("show", `${commit}:a.txt`)).toBe("a");
    expect(await git("show", `${commit}:b.txt`)).toBe("b");
  });

  it("can be made before the first commit, and with a detached HEAD", async () => {
    const { git, write, snapshots: open } = await workingTree(null);
    await write("a.txt", "a\n");
    const { snapshots } = await open();

    const unborn = await snapshots.take("first");
    await git("add", "--all");
    await git("commit", "--quiet", "--message", "first");
    await git("checkout", "--quiet", "--detach");
    const detached = await snapshots.take("second");

    expect(unborn).toMatchObject({ head: null, branch: "main" });
    expect(detached).toMatchObject({ head: await git("rev-parse", "HEAD"), branch: null });
    expect(await git("show", `${detached.commit}:a.txt`)).toBe("a");
  });

  it("continues with the index of a git process that was killed, and without it", async () => {
    const { git, write, snapshots: open } = await workingTree({ "a.txt": "a\n" });
    const { plain, snapshots } = await open();
    await snapshots.take("first");
    await writeFile(`${plain.index}.lock`, "");
    await write("b.txt", "b\n");
    const second = await snapshots.take("second");
    await rm(plain.index);
    await write("c.txt", "c\n");

    const third = await snapshots.take("third");

    expect(await git("ls-tree", "--name-only", second.commit)).toBe("a.txt\nb.txt");
    expect(await git("ls-tree", "--name-only", third.commit)).toBe("a.txt\nb.txt\nc.txt");
    expect(await git("rev-parse", `${third.commit}^`)).toBe(second.commit);
  });

  it("leaves out a file that cannot be read", async () => {
    if (process.getuid?.() === 0) return;
    const { git, top, write, snapshots: open } = await workingTree({ "a.txt": "a\n" });
    await write("secret.txt", "secret\n");
    await chmod(path.join(top, "secret.txt"), 0o000);
    const { snapshots, skipped } = await open();

    const { commit } = await snapshots.take("first");

    expect(await git("ls-tree", "--name-only", commit)).toBe("a.txt");
    expect(Object.fromEntries(skipped)).toEqual({ "secret.txt": "unreadable" });
  });

  it("survives the deletion of its ref, and of the branch", async () => {
    const { git, write, snapshots: open } = await workingTree({ "a.txt": "a\n" });
    const { snapshots } = await open();
    await snapshots.take("first");
    await git("update-ref", "-d", REF);
    await git("checkout", "--quiet", "-b", "other");
    await git("branch", "--quiet", "-D", "main");
    await write("a.txt", "b\n");

    const { commit, branch } = await snapshots.take("second");

    expect(branch).toBe("other");
    expect(await git("rev-parse", REF)).toBe(commit);
  });
});

it("counts the lines of changed files, and not those of binary files", async () => {
  const {
    top,
    write,
    snapshots: open,
  } = await workingTree({
    "a.txt": "1\n2\n3\n",
    "b.txt": "b\n",
    "c.bin": "\0\n",
  });
  const { plain, snapshots } = await open();
  const { commit: from } = await snapshots.take("first");
  await write("a.txt", "1\nzwei\n3\n4\n");
  await rm(path.join(top, "b.txt"));
  await write("c.bin", Buffer.from([0, 1, 2]));
  await write("tab\tand\nline", "new\n");
  const { commit: to } = await snapshots.take("second");

  expect(await fileChanges(from, to, plain)).toEqual([
    { file: "a.txt", kind: "modified", added: 2, removed: 1 },
    { file: "b.txt", kind: "deleted", added: 0, removed: 1 },
    { file: "c.bin", kind: "modified", added: null, removed: null },
    { file: "tab\tand\nline", kind: "added", added: 1, removed: 0 },
  ]);
});

type FileEdit =
  | { readonly kind: "write"; readonly file: string; readonly text: string; readonly mode: number }
  | { readonly kind: "link"; readonly file: string; readonly text: string }
  | { readonly kind: "delete"; readonly file: string };
type Edit = FileEdit | { readonly kind: "commit" } | { readonly kind: "stage" };

const anyFile = fc.constantFrom(
  ...["a", "b", "a/x", "a/y", "b/deep/z", "c c", "ü.txt", "d/.gitattributes", "-n", "q\"'\\"],
);
const anyText = fc.constantFrom("", "one\n", "one\r\ntwo\r\n", "\0binary", "* text eol=crlf\n");
const anyEdit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("write" as const),
      file: anyFile,
      text: anyText,
      mode: fc.constantFrom(0o644, 0o755),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("link" as const), file: anyFile, text: anyFile }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("delete" as const), file: anyFile }) },
  { weight: 1, arbitrary: fc.constantFrom<Edit>({ kind: "commit" }, { kind: "stage" }) },
);

it("reproduces the files of each step exactly, whatever agents change", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(anyEdit, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 }),
      async (steps) => {
        const { top, git, snapshots: open } = await workingTree({ a: "first\n" });
        const { snapshots, writtenTo } = await open();
        const taken: { commit: string; content: Readonly<Record<string, string>> }[] = [];
        for (const edits of steps) {
          for (const edit of edits) await apply(edit, top, git);
          const { commit } = await snapshots.take("step");
          taken.push({ commit, content: await contentOf(top) });
        }
        for (const { commit, content } of taken) {
          expect(await contentOf(await writtenTo(commit))).toEqual(content);
        }
      },
    ),
    { numRuns: propertyRuns(20) },
  );
});

type RunGit = (...args: readonly string[]) => Promise<string>;

async function apply(edit: Edit, top: string, git: RunGit): Promise<void> {
  if (edit.kind === "commit" || edit.kind === "stage") await git("add", "--all");
  if (edit.kind === "commit") {
    await git("commit", "--quiet", "--allow-empty", "--message", "by an agent");
  }
  if (edit.kind !== "commit" && edit.kind !== "stage") await applyToFile(edit, top);
}

/** Replaces whatever is in the way. */
async function applyToFile(edit: FileEdit, top: string): Promise<void> {
  const place = path.join(top, edit.file);
  await makeParents(top, edit.file);
  await rm(place, { recursive: true, force: true });
  if (edit.kind === "link") await symlink(edit.text, place);
  if (edit.kind !== "write") return;
  await writeFile(place, edit.text);
  await chmod(place, edit.mode);
}

async function makeParents(top: string, file: string): Promise<void> {
  const parts = file.split("/").slice(0, -1);
  for (const count of parts.keys()) {
    const folder = path.join(top, ...parts.slice(0, count + 1));
    const found = await lstat(folder).catch(() => null);
    if (found?.isDirectory() === true) continue;
    await rm(folder, { force: true });
    await mkdir(folder);
  }
}
