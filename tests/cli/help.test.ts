import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import { CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { calledBy } from "../../src/cli/as-called.ts";
import { exitCodesText } from "../../src/cli/exit-codes.ts";
import { meantBy } from "../../src/cli/mistyped.ts";
import { obeyCommandLine, program } from "../../src/cli/program.ts";
import { ABOUT_RUNS } from "../../src/cli/subcommand-table.ts";
import type { RaymondError } from "../../src/core/errors.ts";
import { tempFolder } from "../support/folders.ts";
import { keepingShell } from "../support/shell.ts";

async function obey(line: string | readonly string[], cwd = "/") {
  const shell = keepingShell(cwd);
  const words = typeof line === "string" ? line.split(" ") : line;
  const error = await obeyCommandLine(["node", "raymond", ...words], shell).catch(
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
    ["help ls", "did you mean list?"],
    ["help nothing-like-it", "topics: run, resume, rerun, list,"],
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
    ["ls", "list"],
    ["ps --all", "list"],
    ["kill one", "stop"],
    ["tail -f", "logs"],
    ["rm one", "prune"],
    ["continue", "resume"],
    ["--quiet ls", "list"],
    ["-- ls", "list"],
  ])("is answered with the one that was meant: %s", async (words, command) => {
    const cwd = await tempFolder();

    const { error } = await obey(words, cwd);

    expect(error).toMatchObject({
      code: "workflow/not-found",
      hint: expect.stringContaining(`Did you mean the command ${command}?`) as unknown,
    });
  });

  it("is a word that is no command itself, and means one that exists", async () => {
    const names = program(keepingShell("/")).commands.map((command) => command.name());
    const source = await readFile("src/cli/mistyped.ts", "utf8");
    const words = [...source.matchAll(/^ {2}\["([\w-]+)", "[\w-]+"\],$/gm)].map(
      ([, word = ""]) => word,
    );

    expect(words.length).toBeGreaterThan(30);
    for (const word of words) {
      expect(names).not.toContain(word);
      expect([...names, "--init-config", "--version"]).toContain(meantBy(word, names));
    }
  });

  it("may be an option here", async () => {
    const { error } = await obey("config", await tempFolder());

    expect(error).toMatchObject({
      hint: expect.stringContaining("Did you mean raymond --init-config?") as unknown,
    });
  });

  it.each(["ls", "kill"])("is no mistake where a workflow is called so: %s", async (word) => {
    const cwd = await tempFolder();
    await mkdir(path.join(cwd, word));

    const { error } = await obey(word, cwd);

    expect(error).toMatchObject({ code: "workflow/not-a-workflow" });
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

describe("a run where a workflow belongs", () => {
  it.each([
    ["wf-2026-11-22-abcdef", "raymond --resume wf-2026-11-22-abcdef"],
    ["wf-2026-11-22-abcdef status", "raymond status wf-2026-11-22-abcdef"],
    ["run wf-2026-11-22-abcdef", "raymond --resume wf-2026-11-22-abcdef"],
    ["--state-dir D wf-2026-11-22-abcdef", "raymond --state-dir D --resume wf-2026-11-22-abcdef"],
    ["latest", "raymond --resume latest"],
    ["gone.json", "raymond list"],
  ])("is answered with what goes on with it: %s", async (words, command) => {
    const { error } = await obey(words, await tempFolder());

    expect(error).toMatchObject({
      code: "workflow/not-found",
    });
    const { hint } = error as RaymondError;
    expect(calledBy(words.split(" "), ABOUT_RUNS)(hint ?? "")).toContain(`\`${command}\``);
  });

  it("is a workflow where there is one of that name", async () => {
    const cwd = await tempFolder();
    for (const name of ["wf-2026-11-22-abcdef", "odd.json"]) {
      await mkdir(path.join(cwd, name));
      const { error } = await obey(name, cwd);
      expect(error).toMatchObject({ code: "workflow/not-a-workflow", path: path.join(cwd, name) });
    }
  });
});

describe("what says nothing", () => {
  it.each([
    [["--init-config", "w"], "takes no WORKFLOW"],
    [["--init-config", "--budget", "3"], "takes no --budget"],
    [["--init-config", "--no-debug"], "takes no --no-debug"],
    [["--init-config", "--resume"], "takes no --resume"],
    [["--budget", "3"], "--budget needs a WORKFLOW"],
    [["--no-wait"], "--no-wait needs a WORKFLOW"],
    [[""], "It is empty"],
    [["run", ""], "It is empty"],
  ])("is refused, not dropped: %j", async (words, text) => {
    const said = await obey(words, await tempFolder());

    expect(said.error).toBeInstanceOf(CommanderError);
    expect(said.stderr).toContain(text);
    expect(said.stdout).toBe("");
  });

  it("is refused as a folder, too", async () => {
    const { error } = await obey(["--state-dir", "", "list"]);

    expect(error).toMatchObject({ code: "cli/bad-flag" });
  });
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
