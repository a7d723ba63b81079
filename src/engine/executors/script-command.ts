import { existsSync } from "node:fs";
import type { Platform } from "../../language/workflow/files/platform.ts";
import { extensionOf } from "../../language/workflow/files/state-name.ts";
import { cmdCall, inUtf8, systemProgram } from "../../process/platform/windows-system.ts";

export interface ScriptCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Windows: the arguments form one command line, which is passed on unchanged. */
  readonly verbatim: boolean;
}

/** Properties of the machine, for tests. */
export interface ScriptMachine {
  readonly hasBinBash?: boolean;
  readonly systemRoot?: string;
}

/**
 * The command for a script (docs/authoring.md, "Scripts"): `/bin/bash`, or bash on PATH; on Windows
 * the system's `cmd.exe` or `powershell.exe`. On Windows the path is passed in the variable
 * `RAYMOND_STATE_FILE`, so that no character of it is parsed as part of the command line.
 */
export function scriptCommand(
  path: string,
  platform: Platform,
  machine: ScriptMachine = {},
): ScriptCommand {
  switch (platform) {
    case "unix": {
      const { hasBinBash = existsSync("/bin/bash") } = machine;
      return { command: hasBinBash ? "/bin/bash" : "bash", args: [path], verbatim: false };
    }
    case "windows": {
      const { systemRoot } = machine;
      const line =
        extensionOf(path) === ".ps1"
          ? `"${systemProgram(POWERSHELL, systemRoot)}" -NoProfile -ExecutionPolicy Bypass -File ${FILE}`
          : FILE;
      return { ...cmdCall(inUtf8(line, systemRoot), systemRoot), verbatim: true };
    }
  }
}

const FILE = '"%RAYMOND_STATE_FILE%"';
const POWERSHELL = "WindowsPowerShell\\v1.0\\powershell.exe";
