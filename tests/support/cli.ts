import { type ChildProcess, spawn } from "node:child_process";
import path from "node:path";
import { onTestFailed } from "vitest";
import { type ClientVersion, clientPath } from "./client/clients.ts";
import type { MessagesApi } from "./client/messages-api.ts";
import type { Project } from "./project.ts";
import { WAIT_MS } from "./until.ts";

/** Exit and output of a command. */
export interface CliResult {
  /** Null when it was killed. */
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly project: Project;
  /** Default: the project folder. */
  readonly cwd?: string;
  /** Added to the environment of the project. An empty value removes a variable. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** A wrapper command. */
  readonly within?: readonly string[];
  /** A JavaScript file to run instead of the built command line. */
  readonly main?: string;
  /** Passed as `--claude`. */
  readonly client?: ClientVersion;
  /** Path of a wrapper program around the client. */
  readonly wrapper?: string;
  /** The API that the client uses. */
  readonly api?: MessagesApi;
  /** Kill and reject after this time, ms. Default: {@link WAIT_MS}. */
  readonly timeoutMs?: number;
}

/** A running raymond process. */
export interface Running {
  readonly pid: number;
  /** Resolves when the process has ended. */
  readonly exit: Promise<CliResult>;
  kill(signal: NodeJS.Signals): void;
  /** Resolves when the output matches. Rejects if the process ends before. */
  waitForStderr(pattern: RegExp): Promise<void>;
  waitForStdout(pattern: RegExp): Promise<void>;
  /** The output so far. */
  stdout(): string;
}

/** Runs a command to its end. */
export function raymond(args: readonly string[], options: CliOptions): Promise<CliResult> {
  return start(args, options).exit;
}

/** Starts a command. */
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
    // The process may end without reading its input.
  });
  child.stdin.end(options.stdin ?? "");
  const stdout = collect(child, "stdout");
  const stderr = collect(child, "stderr");
  onTestFailed(() => {
    process.stderr.write(`\n$ raymond ${args.join(" ")}\n${stderr.text()}${stdout.text()}`);
  });
  return {
    pid: child.pid,
    exit: ended(child, stdout, stderr, options.timeoutMs ?? WAIT_MS),
    kill: (signal) => void child.kill(signal),
    waitForStderr: (pattern) => stderr.has(pattern),
    waitForStdout: (pattern) => stdout.has(pattern),
    stdout: () => stdout.text(),
  };
}

const ROOT = path.join(import.meta.dirname, "..", "..");

/** Program and first arguments of the command line. */
export function entry(main: string | undefined): readonly string[] {
  if (main !== undefined) return [main];
  if (process.env["RAYMOND_TEST_BUILT"] === "1") return [path.join(ROOT, "bin", "raymond.js")];
  return ["--import", import.meta.resolve("tsx"), path.join(ROOT, "src", "cli", "main.ts")];
}

/** The environment of a command. */
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
