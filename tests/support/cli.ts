import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { onTestFailed } from "vitest";
import { type ClientVersion, clientPath } from "./clients.ts";
import type { MessagesApi } from "./messages-api.ts";
import type { Project } from "./project.ts";
import { MOST_MS } from "./until.ts";

/** How the command line ended, and what it said. */
export interface CliResult {
  /** Null when it was killed. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly project: Project;
  /** Default: the project's folder. */
  readonly cwd?: string;
  /** Added to the project's environment; an empty text takes a variable away. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The command that it is started by. */
  readonly within?: readonly string[];
  /** Another command line than the product's: a file of JavaScript. */
  readonly main?: string;
  /** Passed as `--claude`. */
  readonly client?: ClientVersion;
  /** Path of a program that stands between raymond and its client, and is passed in its place. */
  readonly wrapper?: string;
  /** Whom the client talks to, with a key that is accepted. */
  readonly api?: MessagesApi;
  /** After so long it is killed, and the promise rejects, ms ({@link MOST_MS}). */
  readonly timeoutMs?: number;
}

/** A raymond that runs. */
export interface Running {
  readonly pid: number;
  /** Resolves when it has ended, in whatever way. */
  readonly exit: Promise<CliResult>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves once standard error, or output, has something that matches; rejects if it ends before. */
  waitForStderr(pattern: RegExp): Promise<void>;
  waitForStdout(pattern: RegExp): Promise<void>;
  /** What it has written so far. */
  stdout(): string;
}

/** Runs the command line as a user would, to its end. */
export function raymond(args: readonly string[], options: CliOptions): Promise<CliResult> {
  return start(args, options).exit;
}

/** Starts the command line as a user would. */
export function start(args: readonly string[], options: CliOptions): Running {
  const { project, client } = options;
  const claude = options.wrapper ?? (client === undefined ? null : clientPath(client));
  const [program = process.execPath, ...words] = [
    ...(options.within ?? []),
    ...[process.execPath, ...entry(options.main)],
    ...args,
    ...(claude === null ? [] : ["--claude", claude]),
  ];
  const child = spawn(program, words, {
    cwd: options.cwd ?? project.dir,
    env: environment(options),
    stdio: "pipe",
  });
  if (child.pid === undefined) throw new Error("The command line could not be started.");
  child.stdin.on("error", () => {
    // It may end without having read its input.
  });
  child.stdin.end(options.stdin ?? "");
  const stdout = collect(child, "stdout");
  const stderr = collect(child, "stderr");
  onTestFailed(() => {
    process.stderr.write(`\n$ raymond ${args.join(" ")}\n${stderr.text()}${stdout.text()}`);
  });
  return {
    pid: child.pid,
    exit: ended(child, stdout, stderr, options.timeoutMs ?? MOST_MS),
    kill: (signal) => void child.kill(signal),
    waitForStderr: (pattern) => stderr.has(pattern),
    waitForStdout: (pattern) => stdout.has(pattern),
    stdout: () => stdout.text(),
  };
}

const ROOT = path.join(import.meta.dirname, "..", "..");

/** How the command line is started. */
export function entry(main: string | undefined): readonly string[] {
  if (main !== undefined) return [main];
  if (process.env["RAYMOND_TEST_BUILT"] === "1") return [path.join(ROOT, "bin", "raymond.js")];
  return ["--import", import.meta.resolve("tsx"), path.join(ROOT, "src", "cli", "main.ts")];
}

/** What it finds in its environment. */
export function environment({ project, api, env = {} }: CliOptions): Record<string, string> {
  const talking = {
    ...(api === undefined ? {} : { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: "test" }),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "0",
  };
  const all = { ...project.env, ...talking, ...env };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
}

interface Collected {
  text(): string;
  has(pattern: RegExp): Promise<void>;
}

function collect(child: ChildProcess, name: "stdout" | "stderr"): Collected {
  const chunks: Buffer[] = [];
  const text = () => Buffer.concat(chunks).toString();
  child[name]?.on("data", (chunk: Buffer) => chunks.push(chunk));
  return {
    text,
    has: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (pattern.test(text())) resolve();
        };
        look();
        child[name]?.on("data", look);
        child.once("close", () => {
          look();
          reject(
            new Error(`It ended, and its ${name} had nothing like ${String(pattern)}: ${text()}`),
          );
        });
      }),
  };
}

function ended(
  child: ChildProcess,
  stdout: Collected,
  stderr: Collected,
  timeoutMs: number,
): Promise<CliResult> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      reject(new Error(`No end in ${String(timeoutMs)} ms. It said: ${stderr.text()}`));
    }, timeoutMs);
    child.once("error", reject);
    child.once("close", (exitCode, signal) => {
      clearTimeout(timer);
      resolve({ exitCode, signal, stdout: stdout.text(), stderr: stderr.text() });
    });
  });
}
