import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { processHost } from "../../../src/process/platform/host.ts";
import { describeProcessHost } from "../../contracts/process.ts";
import { cancellation } from "../../support/cancellation.ts";
import { tempFolder } from "../../support/folders.ts";

describeProcessHost("processHost", processHost());

describe("a process", () => {
  // Not in a folder with blanks: wine's cmd.exe does not know a blank that a caret stands before.
  it("may be a command script", async () => {
    const folder = path.join(await tempFolder(), "npm");
    await mkdir(folder);
    const script = path.join(folder, "report.cmd");
    await writeFile(script, "@echo off\r\necho got %~1\r\nexit /b 5\r\n");
    let stdout = "";

    const { done } = processHost().start({
      command: script,
      args: ["one"],
      cwd: folder,
      env: { SystemRoot: process.env["SystemRoot"] ?? "" },
      input: null,
      onStdout: (chunk) => {
        stdout += chunk.toString();
      },
      onStderr: () => undefined,
      token: "run.1",
      cancellation: cancellation(),
    });

    expect(await done).toMatchObject({ exitCode: 5 });
    expect(stdout).toBe("got one\r\n");
  });
});
