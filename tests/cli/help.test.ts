import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { exitCodesText } from "../../src/cli/exit-codes.ts";
import { obeyCommandLine } from "../../src/cli/program.ts";
import { tempFolder } from "../support/folders.ts";
import { keepingShell } from "../support/shell.ts";

async function obey(words: string, cwd = "/") {
  const shell = keepingShell(cwd);
  const error = await obeyCommandLine(["node", "raymond", ...words.split(" ")], shell).catch(
    (reason: unknown) => reason,
  );
  return { error, stdout: shell.stdout(), stderr: shell.stderr() };
}

describe("raymond help", () => {
  it.each([
    ["help tags", '<call return="C">B</call>'],
    ["help environment", "RAYMOND_BUDGET"],
    ["help environment", "RAYMOND_RESULT_FILE"],
    ["help exit-codes", exitCodesText()],
    ["help stop", "--timeout <duration>"],
    ["help retry-now", "usage limit"],
    ["help cost", "by agent, state and model"],
    ["help doctor", "--json"],
    ["help prune", "--older-than <duration>"],
    ["help", "raymond help tags, environment, exit-codes"],
  ])("explains: %s", async (words, text) => {
    const said = await obey(words);

    expect(said.stdout.replaceAll(/\s+/g, " ")).toContain(text.replaceAll(/\s+/g, " "));
    expect(said.stderr).toBe("");
  });

  it.each([
    ["help exit-code", "did you mean exit-codes?"],
    ["help statsu", "did you mean status?"],
    ["help nothing-like-it", "topics: run, resume, list,"],
  ])("names the nearest topic, or all: %s", async (words, text) => {
    const said = await obey(words);

    expect(said.error).toBeInstanceOf(CommanderError);
    expect(said.stderr).toContain(text);
  });
});

describe("a mistyped command", () => {
  it.each([
    ["lst", "list"],
    ["lst --all", "list"],
    ["stat one", "status"],
    ["STOP", "stop"],
    ["retrynow", "retry-now"],
    ["docter --json", "doctor"],
  ])("is answered with the one that was meant: %s", async (words, command) => {
    const cwd = await tempFolder();

    const { error } = await obey(words, cwd);

    expect(error).toMatchObject({
      code: "workflow/not-found",
      hint: expect.stringContaining(`Did you mean the command ${command}?`) as unknown,
    });
  });

  it.each(["./lst", "workflows", "lst.md"])(
    "is not seen in a path or a far word: %s",
    async (words) => {
      const cwd = await tempFolder();

      const { error } = await obey(words, cwd);

      expect(error).toMatchObject({
        code: "workflow/not-found",
        hint: expect.not.stringContaining("command") as unknown,
      });
    },
  );
});

describe("an option before a command", () => {
  it("is one of that command", async () => {
    const cwd = await tempFolder();

    const said = await obey("--state-dir elsewhere list", cwd);

    expect(said.error).toBeUndefined();
    expect(said.stderr).toContain(`${cwd}/elsewhere`);
  });

  it("is refused where the command does not have it", async () => {
    const said = await obey("--budget 3 list");

    expect(said.error).toBeInstanceOf(CommanderError);
    expect(said.stderr).toContain("raymond list has no option --budget");
  });

  it("is refused by the form in which it was given", async () => {
    const said = await obey("--no-wait list");

    expect(said.stderr).toContain("raymond list has no option --no-wait");
  });
});
