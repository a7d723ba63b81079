import manifest from "../../package.json" with { type: "json" };
import { type Check, failure, ok, warning } from "../inspect/check.ts";
import { compareVersion } from "../language/basics/compare-version.ts";

/** Whether this Node is new enough; `version` as in `process.versions`. */
export function checkNode(version: string, wanted: string = manifest.engines.node): Check {
  const needed = wanted.replace(/^\D+/, "");
  return compareVersion(version, needed.split(".").map(Number)) >= 0
    ? ok("node", `Node ${version}`)
    : failure("node", `Node ${version} is too old.`, `Install Node ${needed} or newer.`);
}

/** Which of raymond's promises hold on this platform (docs/cli.md). */
export function checkPlatform(platform: NodeJS.Platform, arch: string): Check {
  const name = "platform";
  switch (platform) {
    case "linux":
      return ok(name, `Linux, ${arch}`);
    case "darwin":
      return ok(
        name,
        `macOS, ${arch}; what a run leaves behind is found by process group, and as far as ps shows environments`,
      );
    case "win32":
      return warning(
        name,
        `Windows, ${arch}: processes are ended without warning, and of those that a crash leaves only clients are found.`,
        "Run raymond in WSL where that matters.",
      );
    case "aix":
    case "android":
    case "cygwin":
    case "freebsd":
    case "haiku":
    case "netbsd":
    case "openbsd":
    case "sunos":
      return warning(
        name,
        `raymond was never tried on ${platform}.`,
        "Try raymond with the tour: raymond tour.",
      );
  }
}

/** Whether scripts have the shell that runs them; `found` is where bash is. */
export function checkBash(platform: NodeJS.Platform, found: string | null): Check {
  if (platform === "win32")
    return ok("shell", "cmd.exe and powershell.exe run scripts (.bat, .ps1)");
  return found === null
    ? failure("shell", "There is no bash, and script states need it.", "Install bash.")
    : ok("shell", `${found} runs scripts (.sh)`);
}
