import { describe, expect, it } from "vitest";
import { scriptCommand } from "../../../src/engine/executors/script-command.ts";

describe("scriptCommand", () => {
  it.each([
    [true, "/bin/bash"],
    [false, "bash"],
  ])("uses /bin/bash on Unix, else bash: %s", (hasBinBash, command) => {
    expect(scriptCommand("/w/A.sh", "unix", { hasBinBash })).toEqual({
      command,
      args: ["/w/A.sh"],
      verbatim: false,
    });
  });

  it("is the system's cmd.exe for a batch file, in UTF-8, and never holds the path", () => {
    const path = "C:\\a & b\\A (1).bat";

    expect(scriptCommand(path, "windows", { systemRoot: "D:\\Win" })).toEqual({
      command: "D:\\Win\\System32\\cmd.exe",
      args: [
        "/d",
        "/s",
        "/c",
        '""D:\\Win\\System32\\chcp.com" 65001 >nul 2>nul & (call ) & "%RAYMOND_STATE_FILE%""',
      ],
      verbatim: true,
    });
  });

  it("is the system's PowerShell for a .ps1, in UTF-8, without profile and policy", () => {
    expect(scriptCommand("C:\\A.ps1", "windows", { systemRoot: "D:\\Win" })).toEqual({
      command: "D:\\Win\\System32\\cmd.exe",
      args: [
        "/d",
        "/s",
        "/c",
        '""D:\\Win\\System32\\chcp.com" 65001 >nul 2>nul & (call ) & ' +
          '"D:\\Win\\System32\\WindowsPowerShell\\v1.0\\powershell.exe" ' +
          '-NoProfile -ExecutionPolicy Bypass -File "%RAYMOND_STATE_FILE%""',
      ],
      verbatim: true,
    });
  });
});
