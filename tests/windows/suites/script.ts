import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { until } from "../../support/until.ts";
import { exists, result, script } from "../script-on-windows.ts";

describe("a batch file", () => {
  // No row has a percent sign: wine's cmd.exe reads what stands in a variable once more.
  it.each([
    ["plain"],
    ["with blanks"],
    ["(brackets)"],
    ["this & echo that"],
    ["hat^s"],
    ["a,b"],
    ["a;b"],
    ["a=b"],
    ["wow!"],
    ["it's"],
    ["größe 日本"],
    ["+@#$~`{}[]"],
  ])("starts from a folder and by a name with %s", async (name) => {
    const { run } = await script(
      "@echo off\necho ^<result^>started^</result^>",
      `${name}.bat`,
      name,
    );

    expect(await run()).toMatchObject(result("started"));
  });

  it("passes on its output as UTF-8", async () => {
    // From a variable: wine's cmd.exe reads the file itself in the code page of old programs.
    const { run } = await script("@echo off\necho ^<result^>%word%^</result^>");

    expect(await run({ attributes: { word: "größe 日本" } })).toMatchObject(result("größe 日本"));
  });

  it.each([[0], [1], [3], [200]])("ends with its own exit code, %s", async (code) => {
    const { run } = await script(`@echo off\nexit /b ${String(code)}`);

    expect(await run()).toMatchObject(
      code === 0
        ? { kind: "output", exitCode: 0 }
        : {
            kind: "failure",
            class: "deterministic",
            exitCode: code,
            message: expect.stringContaining(`failed with exit code ${String(code)}`) as string,
          },
    );
  });

  it.each([
    ["exit", "@echo off\nexit 5"],
    ["its last program", "@echo off\ncmd.exe /d /c exit 5"],
  ])("returns the exit code of %s", async (_what, text) => {
    const { run } = await script(text);

    expect(await run()).toMatchObject({ kind: "failure", exitCode: 5 });
  });

  it("starts with an errorlevel of 0", async () => {
    const { run } = await script("@echo off\necho ^<result^>%errorlevel%^</result^>");

    expect(await run()).toMatchObject(result("0"));
  });

  it("includes its standard error in a failure", async () => {
    const { run } = await script("@echo off\necho the disk is on fire 1>&2\nexit /b 1");

    expect(await run()).toMatchObject({
      message: expect.stringContaining("the disk is on fire") as string,
    });
  });

  it("receives the run, its result and its attributes as variables", async () => {
    const { run } = await script(
      "@echo off\necho ^<result^>%RAYMOND_AGENT_ID% %RAYMOND_RESULT% %item% %ITEM%^</result^>",
    );

    expect(await run({ pendingResult: "two", attributes: { item: "north" } })).toMatchObject(
      result("main two north north"),
    );
  });

  it("finds a long result in a file", async () => {
    const { run, dir } = await script(
      '@echo off\nif defined RAYMOND_RESULT exit /b 1\ncopy /y "%RAYMOND_RESULT_FILE%" got.txt >nul',
    );

    await run({ pendingResult: "x".repeat(40_000) });

    expect(await readFile(path.join(dir, "got.txt"), "utf8")).toHaveLength(40_000);
  });

  it("is run by the system's cmd.exe, whatever lies in the agent's folder", async () => {
    const { run, dir } = await script("@echo off\necho ^<result^>system^</result^>");
    for (const name of ["cmd.exe", "chcp.com", "chcp.bat", "taskkill.exe"]) {
      await writeFile(path.join(dir, name), "no program");
    }

    expect(await run()).toMatchObject(result("system"));
  });

  it("ends at once when the run is stopped", async () => {
    const { run, dir, cancel } = await script(
      "@echo off\necho x>started\nping -n 60 127.0.0.1 >nul\necho x>ended",
    );
    const running = run();
    await until("the script to start", () => exists(path.join(dir, "started")));
    const asked = performance.now();

    cancel();

    expect(await running).toMatchObject({ kind: "failure", class: "cancelled" });
    expect(performance.now() - asked).toBeLessThan(20_000);
    expect(await exists(path.join(dir, "ended"))).toBeUndefined();
  });
});
