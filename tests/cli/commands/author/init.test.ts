import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { initWorkflow, TEMPLATES } from "../../../../src/author/init-workflow.ts";
import { runCommandLine } from "../../../../src/cli/parse/tree.ts";
import { findSimulation } from "../../../../src/clients/simulation/find.ts";
import { packageFolder } from "../../../../src/launch/package-folder.ts";
import { tempFolder } from "../../../support/folders.ts";
import { testShell } from "../../../support/test-shell.ts";

const names = TEMPLATES;

async function init(cwd: string, ...words: readonly string[]) {
  const shell = testShell(cwd);
  const error: unknown = await runCommandLine(["node", "raymond", "init", ...words], shell).catch(
    (reason: unknown) => reason,
  );
  return { error, out: shell.stdout() };
}

describe("raymond init", () => {
  it("lists the templates with their descriptions", async () => {
    const { out } = await init("/");

    for (const name of names) expect(out).toMatch(new RegExp(`^${name} +\\S.*\\.$`, "m"));
    expect(JSON.parse((await init("/", "--json")).out)).toMatchObject({
      templates: names.map((name) => ({ name })),
    });
  });

  it.each(TEMPLATES)("writes %s whole, and says in three lines what to do next", async (one) => {
    const cwd = await tempFolder();

    const { out, error } = await init(cwd, one, "my-flow");

    expect(error).toBeUndefined();
    const [wrote, ...next] = out.trimEnd().split("\n");
    expect(wrote).toMatch(/^Wrote \d+ files into my-flow: /);
    expect(next).toHaveLength(3);
    for (const line of next) expect(line).toMatch(/^ {2}raymond (?:help |test )?my-flow/);
    const folder = path.join(cwd, "my-flow");
    const files = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((file) =>
      file.isFile(),
    );
    for (const file of files) {
      const text = await readFile(path.join(file.parentPath, file.name), "utf8");
      expect(text, file.name).not.toContain(`workflows/${one}`);
    }
    const shell = testShell(cwd);
    await runCommandLine(["node", "raymond", "test", "my-flow"], shell);
    expect(shell.stdout()).toMatch(/^ok +my-flow/);
    expect(shell.code()).toBe(0);
    expect(await findSimulation(folder, "folder")).toBe(path.join(folder, "my-flow.sim.yaml"));
  });

  it("names another coding agent, and no models of the default one", async () => {
    const cwd = await tempFolder();
    const packaged = packageFolder();
    const shipped = {
      samples: path.join(packaged, "workflows"),
      schemas: path.join(packaged, "schemas"),
    };

    await initWorkflow({ template: "evaluator", folder: "e", agent: "codex" }, shipped, { cwd });

    const [manifest, state] = await Promise.all(
      ["workflow.yaml", "EVALUATE.md"].map((name) => readFile(path.join(cwd, "e", name), "utf8")),
    );
    expect(manifest).toMatch(/^agent: codex$/m);
    expect(state).toMatch(/^# model: /m);
    expect(state).not.toMatch(/^model: /m);
    const shell = testShell(cwd);
    await runCommandLine(["node", "raymond", "test", "e"], shell);
    expect(shell.code()).toBe(0);
  });

  it("leaves out the scripts for Windows", async () => {
    const cwd = await tempFolder();

    await init(cwd, "ralph");

    const files = await readdir(path.join(cwd, "ralph"), { recursive: true });
    expect(files.filter((file) => /\.(?:bat|ps1)$/.test(file))).toEqual([]);
    expect(files).toContain("START.sh");
  });

  it("keeps the line ends of batch files", async () => {
    const cwd = await tempFolder();

    await init(cwd, "ralph", "--windows");

    expect(await readFile(path.join(cwd, "ralph", "START.bat"), "utf8")).toMatch(
      /^@echo off\r\nREM raymond ralph|\r\nREM +raymond ralph/,
    );
  });

  it.each([
    ["ralhp", "Did you mean ralph?"],
    ["review", "Did you mean review-gate?"],
    ["something", `Templates: ${names.join(", ")}.`],
  ])("answers a mistyped name with the one that was meant: %s", async (word, hint) => {
    const cwd = await tempFolder();

    expect((await init(cwd, word)).error).toMatchObject({
      code: "workflow/unknown-template",
      hint,
    });
    expect(await readdir(cwd)).toEqual([]);
  });

  it("rejects a file and a folder that is not empty, and changes neither", async () => {
    const cwd = await tempFolder();
    await mkdir(path.join(cwd, "ralph"));
    await writeFile(path.join(cwd, "ralph", "START.md"), "mine");
    await writeFile(path.join(cwd, "nightly"), "mine too");

    expect((await init(cwd, "ralph")).error).toMatchObject({ code: "workflow/folder-taken" });
    expect((await init(cwd, "nightly")).error).toMatchObject({ code: "workflow/folder-taken" });

    expect(await readdir(path.join(cwd, "ralph"))).toEqual(["START.md"]);
    expect(await readFile(path.join(cwd, "ralph", "START.md"), "utf8")).toBe("mine");
    expect(await readFile(path.join(cwd, "nightly"), "utf8")).toBe("mine too");
  });

  it("reports a folder that cannot be created", async () => {
    const place = existsSync("/proc/self") ? "/proc/raymond/x" : "gone\0";

    const { error } = await init(await tempFolder(), "ralph", place);

    expect(error).toBeInstanceOf(Error);
  });

  it("escapes folder names in comments", async () => {
    const cwd = await tempFolder();

    await init(cwd, "ralph", "a\nrm b");

    const text = await readFile(path.join(cwd, "a\nrm b", "START.sh"), "utf8");
    expect(text).toContain("#   raymond WORKFLOW --budget");
    expect(text).not.toContain("rm b");
  });
});
