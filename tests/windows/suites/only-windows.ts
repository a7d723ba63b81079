/** What wine cannot show: it has no PowerShell, no `taskkill /T`, and reads batch files in another way than Windows. */
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { listProcesses } from "../../../src/process/platform/windows-table.ts";
import { until } from "../../support/until.ts";
import { exists, result, script } from "../script-on-windows.ts";

describe("a batch file", () => {
  it("starts from a folder with percent signs", async () => {
    const { run } = await script(
      "@echo off\necho ^<result^>started^</result^>",
      "100%.bat",
      "%TEMP%",
    );

    expect(await run()).toMatchObject(result("started"));
  });

  it("is itself read as UTF-8", async () => {
    const { run } = await script("@echo off\necho ^<result^>größe 日本^</result^>");

    expect(await run()).toMatchObject(result("größe 日本"));
  });

  it("is terminated with its descendants", async () => {
    const { run, dir, cancel } = await script(
      '@echo off\necho x>started\ncmd.exe /d /c "ping -n 4 127.0.0.1 >nul & echo x>lived"',
    );
    const running = run();
    await until("the script to start", () => exists(path.join(dir, "started")));

    cancel();

    expect(await running).toMatchObject({ kind: "failure", class: "cancelled" });
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    expect(await exists(path.join(dir, "lived"))).toBeUndefined();
  });
});

describe("a PowerShell script", () => {
  it("starts from any path and prints UTF-8", async () => {
    const { run } = await script(
      'Write-Output "<result>$env:word</result>"',
      "S & T (1).ps1",
      "größe 日本",
    );

    expect(await run({ attributes: { word: "größe 日本" } })).toMatchObject(result("größe 日本"));
  });

  it.each([[0], [3]])("ends with its own exit code, %s", async (code) => {
    const { run } = await script(`exit ${String(code)}`, "A.ps1");

    expect(await run()).toMatchObject({ exitCode: code });
  });

  it("finds a long result in a file", async () => {
    const { run, dir } = await script("Copy-Item $env:RAYMOND_RESULT_FILE got.txt", "A.ps1");

    await run({ pendingResult: "x".repeat(40_000) });

    expect(await readFile(path.join(dir, "got.txt"), "utf8")).toHaveLength(40_000);
  });
});

describe("the table of processes", () => {
  it("contains this process, with its start and its command line", async () => {
    const mine = (await listProcesses()).find(({ pid }) => pid === process.pid);

    expect(mine).toMatchObject({
      parent: process.ppid,
      command: expect.stringContaining("node") as string,
    });
  });
});
