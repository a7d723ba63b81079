import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RunState } from "../machine/model/run-state.ts";
import type { Caller } from "../wire/caller.ts";
import { runErrors } from "./errors.ts";
import { type StartOptions, start } from "./start.ts";

/**
 * Starts a run in a temporary folder, which is deleted when the run ends. Ignores settings for runs
 * of this project.
 */
export async function startTemporary(
  options: Omit<StartOptions, "stateDir">,
  caller: Caller,
): Promise<RunState> {
  const folder = await makeFolder();
  try {
    const elsewhere = { ...caller, cwd: folder, env: withoutSettings(caller.env) };
    const settings = { ...options.settings, debug: false };
    const stateDir = path.join(folder, ".raymond");
    return await start({ ...options, settings, stateDir }, elsewhere);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function makeFolder(): Promise<string> {
  try {
    return await realpath(await mkdtemp(path.join(tmpdir(), "raymond-tour-")));
  } catch (error) {
    throw runErrors["cli/no-temporary-folder"](tmpdir(), error);
  }
}

function withoutSettings(env: Caller["env"]): Caller["env"] {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith("RAYMOND_")),
  );
}
