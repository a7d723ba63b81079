import { existsSync } from "node:fs";
import type { Platform } from "../core/workflow/platform.ts";
import { extensionOf } from "../core/workflow/state-name.ts";
import { cmdCall, inUtf8, systemProgram } from "../process/windows-system.ts";

/** How a script is started. */
export interface ScriptCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Windows: the arguments are one command line, which is passed on as it stands. */
  readonly verbatim: boolean;
}

/** What the machine says of itself, where a test does not. */
export interface ScriptMachine {
  readonly hasBinBash?: boolean;
  readonly systemRoot?: string;
}

/**
 * How a script is run (docs/authoring.md, "Scripts"): `/bin/bash`, or bash on
 * PATH where it is elsewhere; on Windows `cmd.exe` and `powershell.exe` of the
 * system. There the path travels in the variable `RAYMOND_STATE_FILE`: whatever
 * signs it has, none of them is read as a part of the command line.
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
