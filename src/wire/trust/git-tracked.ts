import { randomUUID } from "node:crypto";
import path from "node:path";
import { TOKEN_VARIABLE } from "../../engine/ports/process.ts";
import { gitEntryAbove } from "../../files/git-entry.ts";
import type { Caller } from "../caller.ts";

/**
 * Whether git tracks this file, so that it may have come with a clone. If git cannot be asked (not
 * installed, or it refuses the repository), a file in a repository counts as tracked.
 */
export async function isTracked(file: string, caller: Caller): Promise<boolean> {
  const folder = path.dirname(file);
  if (gitEntryAbove(folder) === null) return false;
  const { processes } = await caller.system();
  const token = `git.${randomUUID()}`;
  const limit = AbortSignal.timeout(PATIENCE_MS);
  const chunks: Buffer[] = [];
  const { exitCode } = await processes.start({
    command: "git",
    // The repository's own settings must not name a program that git starts.
    args: ["-c", "core.fsmonitor=false", "ls-files", "-z", "--", path.basename(file)],
    cwd: folder,
    env: {
      ...pick(caller.env, ["PATH", "HOME", "SYSTEMROOT", "USERPROFILE"]),
      [TOKEN_VARIABLE]: token,
    },
    input: null,
    onStdout: (chunk) => chunks.push(chunk),
    onStderr: () => undefined,
    token,
    cancellation: { interrupt: limit, kill: limit },
  }).done;
  return exitCode !== 0 || chunks.length > 0;
}

const PATIENCE_MS = 10_000;

function pick(env: Caller["env"], names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
