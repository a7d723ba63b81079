import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runCommandLine } from "../../../../src/cli/parse/tree.ts";
import { parseStateFile } from "../../../../src/language/workflow/files/parse-state-file.ts";
import { tempFolder } from "../../../support/folders.ts";
import { testShell } from "../../../support/test-shell.ts";

async function create(cwd: string, line: string) {
  const shell = testShell(cwd);
  const words = ["node", "raymond", "new", ...line.split(" ")];
  const error: unknown = await runCommandLine(words, shell).catch((reason: unknown) => reason);
  return { error, out: shell.stdout() };
}

describe("raymond new state", () => {
  it("writes a prompt whose front matter lists its next states", async () => {
    const cwd = await tempFolder();

    const { out } = await create(cwd, "state PLAN --to BUILD ASK.md");

    expect(out).toContain("Wrote PLAN.md");
    expect(out).toContain(
      "State BUILD does not exist yet. Create it with: raymond new state BUILD\n",
    );
    const state = parseStateFile("PLAN.md", await readFile(path.join(cwd, "PLAN.md"), "utf8"));
    expect(state).toMatchObject({
      rules: [
        { tag: "goto", target: "BUILD" },
        { tag: "goto", target: "ASK.md" },
      ],
      warnings: [],
    });
    expect(state).toHaveProperty("body", expect.stringContaining("<goto>ASK.md</goto>"));
  });

  it.each([
    ["END.md", "<result>"],
    ["CHECK.sh", "echo '<result>"],
    ["CHECK.bat", "echo ^<result^>"],
    ["CHECK.ps1", "Write-Output '<result>"],
  ])(
    "writes %s, which ends with a result unless --to names its next states",
    async (name, text) => {
      const cwd = await tempFolder();

      const { error } = await create(cwd, `state ${name}`);

      expect(error).toBeUndefined();
      const written = await readFile(path.join(cwd, name), "utf8");
      expect(written).toContain(text);
      expect(parseStateFile(name, written).warnings).toEqual([]);
    },
  );

  it.each(["PLAN", "PLAN.md", "plan", "PLAN.sh"])(
    "refuses %s where PLAN.md is, and changes nothing",
    async (name) => {
      const cwd = await tempFolder();
      await writeFile(path.join(cwd, "PLAN.md"), "mine");

      expect((await create(cwd, `state ${name}`)).error).toMatchObject({
        code: "workflow/state-taken",
      });

      expect(await readdir(cwd)).toEqual(["PLAN.md"]);
      expect(await readFile(path.join(cwd, "PLAN.md"), "utf8")).toBe("mine");
    },
  );

  it("writes a batch file into the given folder", async () => {
    const cwd = await tempFolder();
    await mkdir(path.join(cwd, "flow"));
    await writeFile(path.join(cwd, "flow", "CHECK.sh"), "");

    const { out } = await create(cwd, "state CHECK.bat --in flow --json");

    expect(JSON.parse(out)).toEqual({
      ...{ file: path.join(cwd, "flow", "CHECK.bat"), name: "CHECK.bat", missing: [] },
    });
  });

  it.each([
    ["state ../PLAN", "workflow/bad-state-name"],
    ["state CON", "workflow/bad-state-name"],
    ["state X.exe", "workflow/bad-state-name"],
    ["state X.MD", "workflow/bad-state-name"],
    ["state A --to B'C", "workflow/bad-state-name"],
    ["workflow A", "workflow/unknown-kind"],
    ["state A --in nowhere", "workflow/not-found"],
  ])("says what is wrong: %s", async (line, code) => {
    expect((await create(await tempFolder(), line)).error).toMatchObject({ code });
  });

  it("writes nothing next to files of another kind", async () => {
    const cwd = await tempFolder();
    await writeFile(path.join(cwd, "README.md"), "A project.");
    await writeFile(path.join(cwd, "package.json"), "{}");

    expect((await create(cwd, "state A")).error).toMatchObject({ code: "workflow/none-here" });
  });
});
