import type { Platform } from "../language/workflow/files/platform.ts";
import { cmdCall } from "../process/platform/windows-system.ts";

/** How to run a command of the user in a shell. */
export interface ShellCall {
  readonly command: string;
  readonly args: readonly string[];
  /** The arguments are one command line, passed without quoting. */
  readonly verbatim: boolean;
  /** Additional environment variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** The call of the system's shell. On Windows the command is passed in a variable: `cmd` has no reliable quoting. */
export function shellCall(command: string, platform: Platform): ShellCall {
  switch (platform) {
    case "unix":
      return { command: "/bin/sh", args: ["-c", command], verbatim: false, env: {} };
    case "windows":
      return { ...cmdCall("%RAYMOND_NOTIFY%"), verbatim: true, env: { RAYMOND_NOTIFY: command } };
  }
}
