import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { type Need, onPath } from "./needs.ts";

const run = promisify(execFile);

/** A program of this name on PATH. Root installs it from the Debian package of this name if it is missing. */
export async function debianProgram(program: string, debianPackage: string): Promise<Need> {
  const need = onPath(program);
  if (need.met || process.getuid?.() !== 0) return need;
  try {
    await install(debianPackage).catch(async () => {
      // The list of packages may be missing or old.
      await run("apt-get", ["update"]);
      await install(debianPackage);
    });
    return onPath(program);
  } catch (error) {
    const [line = ""] = error instanceof Error ? error.message.split("\n") : [];
    return { met: false, reason: `${need.reason}, and apt-get cannot install it (${line})` };
  }
}

async function install(debianPackage: string): Promise<void> {
  const options = ["--yes", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=60"];
  await run("apt-get", ["install", ...options, debianPackage], {
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  });
}
