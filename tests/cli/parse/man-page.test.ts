import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { manPage } from "../../../scripts/generators/man-page.ts";
import { commandTree } from "../../../src/cli/parse/tree.ts";
import { tempFolder } from "../../support/folders.ts";
import { itNeeds, onPath } from "../../support/needs.ts";
import { testShell } from "../../support/test-shell.ts";

describe("the manual page", () => {
  it("has every command and every option that the help shows", async () => {
    const page = (await manPage()).replaceAll("\\-", "-");

    const root = await commandTree(testShell("/"));
    for (const command of [root, ...root.commands]) {
      if (command !== root) expect(page).toContain(`.SS raymond ${command.name()}`);
      for (const option of command.createHelp().visibleOptions(command)) {
        expect(page).toContain(option.long?.replace(/^--/, "") ?? "");
      }
    }
  });

  it("is named in package.json", async () => {
    const text = await readFile(path.join(import.meta.dirname, "../../../package.json"), "utf8");

    expect(JSON.parse(text)).toMatchObject({ man: ["./dist/raymond.1"] });
  });

  itNeeds(onPath("man"), "is set by man without a warning", async () => {
    const file = path.join(await tempFolder(), "raymond.1");
    await writeFile(file, await manPage());

    const env = { ...process.env, MANWIDTH: "80", LC_ALL: "C.UTF-8", PAGER: "cat" };
    const { stdout, stderr } = await promisify(execFile)("man", ["--warnings", "-l", file], {
      env,
    });

    expect(stderr).toBe("");
    expect(stdout).toContain("raymond - Run workflows of prompts and scripts");
    expect(stdout).toMatch(/^ {7}--budget USD$/m);
  });
});
