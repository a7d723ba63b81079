import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type StartProcess, TOKEN_VARIABLE } from "../engine/ports/process.ts";
import { workspaceErrors } from "./errors.ts";
import { isolateIn } from "./isolated-repository.ts";
import type { GitPlace } from "./repository-config.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface GitCall {
  readonly cwd: string;
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** Standard input; default: empty. */
  readonly input?: string | Buffer;
  /** Keeps bytes of standard output that are not UTF-8, as one character each. */
  readonly bytes?: boolean;
  /** Works on this repository, without its configuration. Default: the one around `cwd`, only to find or read it. */
  readonly repository?: GitPlace;
  /** May connect to other repositories. */
  readonly network?: boolean;
}

export interface GitResult {
  readonly ok: boolean;
  /** Standard output without the last line end; after a failure, the reason. */
  readonly output: string;
}

/** Calls git. Both methods reject with `workspace/no-git` and `workspace/git-interrupted`. */
export interface Git {
  try(args: readonly string[], call: GitCall): Promise<GitResult>;
  /** Resolves with the output. Rejects with `workspace/git-failed`. */
  run(args: readonly string[], call: GitCall): Promise<string>;
}

/** Git fails before it changes anything if another git is creating a worktree: its files are still empty. */
const UNFINISHED_WORKTREE =
  /failed to read .*[/\\]worktrees[/\\][^/\\]+[/\\](commondir|gitdir|HEAD)\b/;
const ATTEMPTS = 6;

/**
 * Git without prompts, hooks and file system monitors. It uses the credentials of the user that `start` runs
 * processes as. `folder`: of raymond for git directories, to which no step may write; null: a temporary one.
 */
export function gitBy(
  start: StartProcess,
  inherited: Environment,
  folder: string | null = null,
): Git {
  const environment = Object.fromEntries(
    Object.entries(inherited).flatMap(([name, value]) =>
      value === undefined || !isInherited(name) ? [] : [[name, value]],
    ),
  );
  const isolate = isolateIn(folder, tryGit);
  async function callOnce(
    args: readonly string[],
    { cwd, timeoutMs = LOCAL_MS, env = {}, input, bytes = false, ...call }: GitCall,
  ): Promise<GitResult> {
    const { repository, network = false } = call;
    const selected = repository === undefined ? {} : await isolate(repository);
    const isolated = { ...(network ? {} : NO_NETWORK), ...selected };
    const token = randomBytes(16).toString("hex");
    const never = new AbortController().signal;
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    const running = start({
      command: "git",
      args: gitArguments(args),
      cwd,
      env: { ...environment, ...VARIABLES, ...isolated, ...env, [TOKEN_VARIABLE]: token },
      input: input ?? null,
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
    if (end.spawnError?.code === "ENOENT" && existsSync(cwd))
      throw workspaceErrors["workspace/no-git"]();
    if (end.spawnError !== null) return { ok: false, output: end.spawnError.message };
    if (end.endedByRaymond) {
      return { ok: false, output: `timed out after ${String(Math.round(timeoutMs / 1000))} s.` };
    }
    if (end.signal !== null)
      throw workspaceErrors["workspace/git-interrupted"](commandOf(args), end.signal);
    if (end.exitCode === 0) return { ok: true, output: textOf(out, bytes).replace(/\n+$/, "") };
    return { ok: false, output: errorLines(textOf(err, false)) };
  }
  async function tryGit(args: readonly string[], call: GitCall): Promise<GitResult> {
    for (let attempt = 1; ; attempt += 1) {
      const result = await callOnce(args, call);
      const repeats = !result.ok && attempt < ATTEMPTS && UNFINISHED_WORKTREE.test(result.output);
      if (!repeats) return result;
      await delay(50 * attempt);
    }
  }
  return {
    try: tryGit,
    run: async (args, call) => {
      const { ok, output } = await tryGit(args, call);
      if (!ok) throw workspaceErrors["workspace/git-failed"](commandOf(args), output);
      return output;
    },
  };
}

/** The arguments of a call, after the settings that keep git from running programs of the repository. */
export function gitArguments(args: readonly string[]): readonly string[] {
  return [...SETTINGS, ...args];
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

/**
 * Whether git inherits a variable. Others that start with `GIT_` refer to the repository of a git hook that calls
 * raymond, or make git run programs.
 */
function isInherited(name: string): boolean {
  return !name.startsWith("GIT_") || INHERITED.test(name);
}

const INHERITED =
  /^GIT_(ASKPASS|CONFIG_(GLOBAL|SYSTEM|NOSYSTEM)|EXEC_PATH|HTTP_.*|PROXY_.*|SSH(_.*)?|SSL_.*|TRACE.*)$/;

const NO_NETWORK = { GIT_ALLOW_PROTOCOL: "" };

const VARIABLES = {
  GIT_TERMINAL_PROMPT: "0",
  // The configuration of a partial clone names the program that fetches missing objects.
  GIT_NO_LAZY_FETCH: "1",
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
  "worktree.useRelativePaths=false",
  "commit.gpgSign=false",
  "advice.detachedHead=false",
].flatMap((setting) => ["-c", setting]);

function textOf(chunks: readonly Buffer[], bytes: boolean): string {
  return Buffer.concat(chunks).toString(bytes ? "latin1" : "utf8");
}

/** The lines of standard error that state the cause, joined. */
function errorLines(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const isError = (line: string) => /^(fatal|error|remote|ssh| *!)| not found$/i.test(line);
  const from = lines.findIndex((line) => isError(line));
  // Indented lines belong to the error above: the files in the way, or a command that helps.
  const errors = lines
    .slice(Math.max(from, 0))
    .filter((line) => from < 0 || isError(line) || /^\s/.test(line));
  const [first = "", ...rest] = errors.map((line) => line.trim());
  // Git prints this line after the cause of every failed connection.
  const details = rest.filter((line) => !line.includes("Could not read from remote repository"));
  return [first, ...details].slice(0, 4).join(" ").slice(0, 500) || "no output";
}
