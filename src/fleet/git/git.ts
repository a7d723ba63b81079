import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type StartProcess, TOKEN_VARIABLE } from "../../engine/ports/process.ts";
import type { Caller } from "../../wire/caller.ts";
import { newToken } from "../../wire/system/system.ts";
import { fleetErrors } from "../errors.ts";

export interface GitCall {
  readonly cwd: string;
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

export interface GitResult {
  readonly ok: boolean;
  /** Standard output without the last line end; after a failure, the reason. */
  readonly output: string;
}

/** Calls git. Both methods reject with `fleet/no-git` and `fleet/git-interrupted`. */
export interface Git {
  try(args: readonly string[], call: GitCall): Promise<GitResult>;
  /** Resolves with the output. Rejects with `fleet/git-failed`. */
  run(args: readonly string[], call: GitCall): Promise<string>;
}

/**
 * Git without prompts, hooks and file system monitors. It uses the credentials of the user that `start` runs
 * processes as.
 */
export function gitBy(start: StartProcess, inherited: Caller["env"]): Git {
  const environment = Object.fromEntries(
    Object.entries(inherited).flatMap(([name, value]) =>
      value === undefined || REPOSITORY_VARIABLES.has(name) ? [] : [[name, value]],
    ),
  );
  async function tryGit(
    args: readonly string[],
    { cwd, timeoutMs = LOCAL_MS, env = {} }: GitCall,
  ): Promise<GitResult> {
    const token = newToken();
    const never = new AbortController().signal;
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    const running = start({
      command: "git",
      args: [...SETTINGS, ...args],
      cwd,
      env: { ...environment, ...VARIABLES, ...env, [TOKEN_VARIABLE]: token },
      input: null,
      onStdout: (chunk) => out.push(chunk),
      onStderr: (chunk) => err.push(chunk),
      token,
      cancellation: { interrupt: never, kill: never },
    });
    const timer = setTimeout(() => {
      running.end();
    }, timeoutMs);
    const end = await running.done.finally(() => {
      clearTimeout(timer);
    });
    if (end.spawnError?.code === "ENOENT") throw fleetErrors["fleet/no-git"]();
    if (end.spawnError !== null) return { ok: false, output: end.spawnError.message };
    if (end.endedByRaymond) {
      return { ok: false, output: `timed out after ${String(Math.round(timeoutMs / 1000))} s.` };
    }
    if (end.signal !== null)
      throw fleetErrors["fleet/git-interrupted"](commandOf(args), end.signal);
    if (end.exitCode === 0) return { ok: true, output: text(out).replace(/\n+$/, "") };
    return { ok: false, output: errorLines(text(err)) };
  }
  return {
    try: tryGit,
    run: async (args, call) => {
      const { ok, output } = await tryGit(args, call);
      if (!ok) throw fleetErrors["fleet/git-failed"](commandOf(args), output);
      return output;
    },
  };
}

/** Calls `act` with a temporary bare repository: git fetches and pushes only inside of one. */
export async function inBareRepository<T>(
  git: Git,
  act: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), "raymond-git-"));
  try {
    await git.run(["init", "--quiet", "--bare", "."], { cwd: folder });
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The git command in the arguments, for messages. */
function commandOf(args: readonly string[]): string {
  return args.find((arg) => /^[a-z][a-z-]*$/.test(arg)) ?? "";
}

/** Timeout of commands that do not use the network. */
const LOCAL_MS = 10 * 60_000;

/** Set if a git hook calls raymond. They refer to the repository of the hook. */
const REPOSITORY_VARIABLES: ReadonlySet<string> = new Set([
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
]);

const VARIABLES = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  LC_ALL: "C",
  // A commit needs a name, and the machine may have none configured.
  GIT_AUTHOR_NAME: "raymond",
  GIT_AUTHOR_EMAIL: "raymond@localhost",
  GIT_COMMITTER_NAME: "raymond",
  GIT_COMMITTER_EMAIL: "raymond@localhost",
};

const SETTINGS = [
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "gc.auto=0",
  "maintenance.auto=false",
  "protocol.ext.allow=never",
  "submodule.recurse=false",
  "advice.detachedHead=false",
].flatMap((setting) => ["-c", setting]);

function text(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString("utf8");
}

/** The lines of standard error that state the cause, joined. */
function errorLines(stderr: string): string {
  const lines = stderr.split("\n").flatMap((line) => line.trim() || []);
  const errors = lines.filter((line) => /^(fatal|error|remote|ssh|!)| not found$/i.test(line));
  const [first = "", ...rest] = errors.length > 0 ? errors : lines;
  // Git prints this line after the cause of every failed connection.
  const details = rest.filter((line) => !line.includes("Could not read from remote repository"));
  return [first, ...details].slice(0, 4).join(" ").slice(0, 500) || "no output";
}
