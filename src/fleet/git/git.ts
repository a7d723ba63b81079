import { randomBytes } from "node:crypto";
import { type StartProcess, TOKEN_VARIABLE } from "../../engine/ports/process.ts";
import type { Caller } from "../../wire/caller.ts";
import { fleetErrors } from "../errors.ts";

/** How git is called. */
export interface GitCall {
  readonly cwd: string;
  /** It is ended after so long, ms. */
  readonly timeoutMs?: number;
  readonly env?: Readonly<Record<string, string>>;
}

/** What came of a call of git. */
export type GitResult =
  | { readonly ok: true; readonly said: string }
  | {
      readonly ok: false;
      /** What it wrote to standard error, or why it was ended. */
      readonly said: string;
    };

/** Git, as raymond calls it. */
export interface Git {
  /** Resolves with what came of it; rejects with a `fleet/no-git` where there is none, and with a `fleet/git-interrupted`. */
  try(args: readonly string[], call: GitCall): Promise<GitResult>;
  /** What it prints, without the end of the line. Rejects with a `fleet/git-failed` where it fails. */
  run(args: readonly string[], call: GitCall): Promise<string>;
}

/**
 * Git that asks nobody anything, and does nothing that the repository has set up to be done beside: its hooks,
 * a watcher of files. Credentials are those of whoever this process is.
 */
export function gitBy(start: StartProcess, inherited: Caller["env"]): Git {
  const environment = Object.fromEntries(
    Object.entries(inherited).flatMap(([name, value]) =>
      value === undefined || OF_ANOTHER_REPOSITORY.has(name) ? [] : [[name, value]],
    ),
  );
  async function run(
    args: readonly string[],
    { cwd, timeoutMs = LOCAL_MS, env = {} }: GitCall,
  ): Promise<GitResult> {
    const token = randomBytes(16).toString("hex");
    const never = new AbortController().signal;
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    const running = start({
      command: "git",
      args: [...CONFIGURED, ...args],
      cwd,
      env: { ...environment, ...QUIET, ...env, [TOKEN_VARIABLE]: token },
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
    if (end.spawnError !== null) return { ok: false, said: end.spawnError.message };
    if (end.endedByRaymond) return { ok: false, said: `timed out after ${seconds(timeoutMs)}.` };
    if (end.signal !== null)
      throw fleetErrors["fleet/git-interrupted"](commandOf(args), end.signal);
    if (end.exitCode === 0) return { ok: true, said: text(out).replace(/\n+$/, "") };
    return { ok: false, said: gist(text(err)) };
  }
  return {
    try: run,
    run: async (args, call) => {
      const answer = await run(args, call);
      if (!answer.ok) throw fleetErrors["fleet/git-failed"](commandOf(args), answer.said);
      return answer.said;
    },
  };
}

/** The word that says what git is to do. */
function commandOf(args: readonly string[]): string {
  return args.find((arg) => /^[a-z-]+$/.test(arg) && !arg.startsWith("-")) ?? "";
}

/** For what needs no network. */
const LOCAL_MS = 10 * 60_000;

/** Set where raymond is called by a hook of git, and meant for that repository. */
const OF_ANOTHER_REPOSITORY: ReadonlySet<string> = new Set([
  "GIT_DIR",
  "GIT_WORK_TREE",
  "GIT_INDEX_FILE",
  "GIT_OBJECT_DIRECTORY",
  "GIT_ALTERNATE_OBJECT_DIRECTORIES",
  "GIT_COMMON_DIR",
  "GIT_NAMESPACE",
  "GIT_PREFIX",
]);

const QUIET = {
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  LC_ALL: "C",
  // Whoever commits: a machine may have no name of its own.
  GIT_AUTHOR_NAME: "raymond",
  GIT_AUTHOR_EMAIL: "raymond@localhost",
  GIT_COMMITTER_NAME: "raymond",
  GIT_COMMITTER_EMAIL: "raymond@localhost",
};

const CONFIGURED = [
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

/** The lines that say what went wrong, as one. */
function gist(said: string): string {
  const lines = said.split("\n").flatMap((line) => line.trim() || []);
  const wrong = lines.filter((line) => /^(fatal|error|remote|ssh|!)| not found$/i.test(line));
  const [first, ...more] = wrong.length > 0 ? wrong : lines;
  // What it says of every remote, below what was wrong with this one.
  const others = more.filter((line) => !line.includes("Could not read from remote repository"));
  const summary = [first ?? "", ...others].slice(0, 4).join(" ");
  return summary === "" ? "no output" : summary.slice(0, 500);
}

function seconds(ms: number): string {
  return `${String(Math.round(ms / 1000))} s`;
}
