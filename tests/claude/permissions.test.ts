import { symlink } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { CLIENT_VERSIONS } from "../support/client/clients.ts";
import { type Answer, runs, says, uses } from "../support/client/messages-answer.ts";
import { setScene } from "./scene.ts";

const DONE = says("<result>done</result>");
const write = (file: string, then: Answer) =>
  uses("Write", { file_path: file, content: "by the model" }, then);

/** Each call, then the end. */
function inOrder(...attempts: readonly ((then: Answer) => Answer)[]): Answer {
  return attempts.reduceRight((then, attempt) => attempt(then), DONE);
}

/** docs/permissions.md, "Permissions". */
describe.each(CLIENT_VERSIONS)("with the client %s, permissions", (client) => {
  it("of a read-only state change nothing", async () => {
    const attempts = inOrder(
      (then) => uses("Read", { file_path: "notes.txt" }, then),
      (then) => write("new.txt", write("notes.txt", then)),
      (then) => runs("echo x > new.txt", runs("rm notes.txt", then)),
      (then) => runs("sed -i s/old/new/ notes.txt; touch new.txt", then),
      (then) => runs(`node -e 'require("fs").writeFileSync("new.txt", "")'`, then),
    );
    const files = {
      "wf/START.md": "---\npermissions: read-only\n---\nAlpha.\n",
      "notes.txt": "old\n",
    };
    const scene = await setScene(client, files, [["Alpha", attempts]], "wf");

    const end = await scene.run();

    expect(end).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(await scene.project.read("notes.txt")).toBe("old\n");
    expect(await scene.project.list(".")).not.toContain("new.txt");
    // Each attempt was made, and only the first one succeeded.
    expect(scene.api.turns.at(-1)?.toolResults.map(({ isError }) => isError)).toEqual([
      false,
      ...Array.from({ length: 6 }, () => true),
    ]);
    // The tools are those of every level, so that the cache of the conversation is valid.
    expect(scene.api.turns[0]?.tools).toContain("Write");
  });

  it("does not get more than the user allows, and reports where it asks for it", async () => {
    const attempts = inOrder(
      (then) => runs(`node -e 'require("fs").writeFileSync("new.txt", "")'`, then),
      (then) => write("ok.txt", then),
    );
    const files = {
      "wf/START.md":
        "---\npermissions: full\nallow: [command(node *)]\nallowed_tools: ['Bash(node *)']\n---\nAlpha.\n",
      ".raymond/config.toml": '[raymond]\npermissions = "edit"\n',
    };
    const scene = await setScene(client, files, [["Alpha", attempts]], "wf");

    const end = await scene.run();

    expect(end.stderr).toMatch(
      /wf\/START\.md:2: The state asks for more than your settings allow, and does not get it: permissions: full, command\(node \*\)/,
    );
    expect(await scene.project.list(".")).not.toContain("new.txt");
    expect(await scene.project.list(".")).toContain("ok.txt");
  });

  it("holds for commands and paths that are denied, and for those that are allowed", async () => {
    const attempts = inOrder(
      (then) => runs("rm notes.txt", runs("ls; rm notes.txt", then)),
      (then) => uses("Read", { file_path: "secret data/key" }, runs("cat 'secret data/key'", then)),
      (then) => write("src/new.ts", runs("echo x > src/x.ts", then)),
      (then) => runs(`node -e 'require("fs").writeFileSync("new.txt", "")'`, write("ok.txt", then)),
    );
    const files = {
      "wf/START.md": "Alpha.\n",
      "notes.txt": "old\n",
      "secret data/key": "key\n",
      "src/x.ts": "x\n",
      ".raymond/config.toml":
        '[raymond]\nallow = ["command(node *)"]\ndeny = ["command(rm *)", "read(secret data)", "write(src)"]\n',
    };
    const scene = await setScene(client, files, [["Alpha", attempts]], "wf");

    const end = await scene.run(["--trust-project"]);

    expect(end.exitCode).toBe(0);
    expect(scene.api.turns.at(-1)?.toolResults.map(({ isError }) => isError)).toEqual([
      ...Array.from({ length: 6 }, () => true),
      ...[false, false],
    ]);
    expect(await scene.project.read("notes.txt")).toBe("old\n");
    expect(await scene.project.list("src")).toEqual(["src/x.ts"]);
    expect(await scene.project.list(".")).toEqual(expect.arrayContaining(["new.txt", "ok.txt"]));
  });

  it("that are denied for a link hold for its target", async () => {
    const attempts = inOrder(
      (then) => uses("Read", { file_path: "real/key" }, runs("cat real/key", then)),
      (then) => uses("Read", { file_path: "link/key" }, runs("cat link/key", then)),
      (then) => write("kept/new.txt", runs("echo x > kept/new.txt", then)),
      (then) => write("docs/new.txt", then),
    );
    const files = {
      "wf/START.md": "Alpha.\n",
      "real/key": "key\n",
      "kept/a.txt": "a\n",
      ".raymond/config.toml": '[raymond]\ndeny = ["read(link/key)", "write(docs/**)"]\n',
    };
    const scene = await setScene(client, files, [["Alpha", attempts]], "wf");
    await symlink("real", path.join(scene.project.dir, "link"));
    await symlink("kept", path.join(scene.project.dir, "docs"));

    await scene.run();

    const results = scene.api.turns.at(-1)?.toolResults ?? [];
    expect(results.map(({ isError }) => isError)).toEqual(Array.from({ length: 7 }, () => true));
    expect(await scene.project.list("kept")).toEqual(["kept/a.txt"]);
  });

  it("of a read-only run write only where the user allows it", async () => {
    const attempts = inOrder(
      (then) => write("docs/new.md", write("new.txt", then)),
      (then) => runs("echo x > docs/b.md", runs("echo x > b.md", then)),
    );
    const files = { "wf/START.md": "Alpha.\n", "docs/a.md": "a\n" };
    const scene = await setScene(client, files, [["Alpha", attempts]], "wf");

    const args = ["--permissions", "read-only", "--allow", "write(docs/**)"];
    const end = await scene.run(args);

    expect(end.exitCode).toBe(0);
    expect((await scene.project.list("docs")).toSorted()).toEqual([
      "docs/a.md",
      "docs/b.md",
      "docs/new.md",
    ]);
    const all = await scene.project.list(".");
    expect(all.filter((name) => name === "new.txt" || name === "b.md")).toEqual([]);
  });
});
