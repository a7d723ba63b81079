import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { CHAOS_MAIN, ROOT } from "./place.ts";

/** Global setup of vitest: bundles the test entry like the product, so that it starts as fast. */
export async function setup(): Promise<void> {
  const outdir = path.relative(ROOT, path.join(CHAOS_MAIN, "..", ".."));
  const words = ["--no-types", "--entry=tests/chaos/entry.ts", `--outdir=${outdir}`];
  const build = path.join(ROOT, "scripts", "build.mjs");
  await promisify(execFile)(process.execPath, [build, ...words], { cwd: ROOT });
}
