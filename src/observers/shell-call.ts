import type { Platform } from "../core/workflow/platform.ts";
import { cmdCall } from "../process/windows-system.ts";

/** How a shell is asked to run a command of the user. */
export interface ShellCall {
  readonly command: string;
  readonly args: readonly string[];
  /** Its arguments are one command line, which is passed on as it stands. */
  readonly verbatim: boolean;
  /** To be added to the environment. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The call of the system's shell for a command line. On Windows the command
 * travels in a variable: `cmd` has no way of quoting that a caller could keep to.
 */
export function shellCall(command: string, platform: Platform): ShellCall {
  switch (platform) {
    case "unix":
      return { command: "/bin/sh", args: ["-c", command], verbatim: false, env: {} };
    case "windows":
      return { ...cmdCall("%RAYMOND_NOTIFY%"), verbatim: true, env: { RAYMOND_NOTIFY: command } };
  }
}
