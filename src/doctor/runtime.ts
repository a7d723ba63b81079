import manifest from "../../package.json" with { type: "json" };
import { type Check, failure, ok, warning } from "../inspect/check.ts";
import { compareVersion } from "../language/basics/compare-version.ts";

/** `version`: as in `process.versions`. */
export function checkNode(version: string, wanted: string = manifest.engines.node): Check {
  const needed = wanted.replace(/^\D+/, "");
  return compareVersion(version, needed.split(".").map(Number)) >= 0
    ? ok("node", `Node ${version}`)
    : failure("node", `Node ${version} is too old.`, `Install Node ${needed} or newer.`);
}

/** Guarantees of the platform (docs/cli.md). */
export function checkPlatform(platform: NodeJS.Platform, arch: string): Check {
  const name = "platform";
  if (platform === "linux") return ok(name, `Linux, ${arch}`);
  if (platform === "darwin") {
    return ok(
      name,
      `macOS, ${arch}; what a run leaves behind is found by process group, and as far as ps shows environments`,
    );
  }
  return platform === "win32"
    ? warning(
        name,
        `Windows, ${arch}: processes are ended without warning, and of those that a crash leaves only clients are found.`,
        "Run raymond in WSL where that matters.",
      )
    : warning(
        name,
        `raymond was never tried on ${platform}.`,
        "Try raymond with the tour: raymond tour.",
      );
}

/** `found`: path of bash. */
export function checkBash(platform: NodeJS.Platform, found: string | null): Check {
  if (platform === "win32")
    return ok("shell", "cmd.exe and powershell.exe run scripts (.bat, .ps1)");
  return found === null
    ? failure("shell", "There is no bash, and script states need it.", "Install bash.")
    : ok("shell", `${found} runs scripts (.sh)`);
}
