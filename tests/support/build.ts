import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";

/**
 * Global setup of vitest: builds raymond once for all projects, for `raymond()` of `cli.ts`.
 */
export async function setup(): Promise<void> {
  if (process.env["RAYMOND_TEST_BUILT"] === "1") return;
  const root = path.join(import.meta.dirname, "..", "..");
  await promisify(execFile)("npm", ["run", "build"], {
    cwd: root,
    shell: process.platform === "win32",
  });
  process.env["RAYMOND_TEST_BUILT"] = "1";
}
