import { type ChildProcess, spawn } from "node:child_process";
import { WAIT_MS } from "../until.ts";
import { FakeScreen } from "./screen.ts";

export interface PtyOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

/** A shell command in a pseudo-terminal. */
export interface Pty {
  /** Presses keys. */
  type(text: string): void;
  /** All lines, including the scrollback. */
  lines(): readonly string[];
  /** Resolves when the screen matches. Rejects if the command ends before. */
  shows(pattern: RegExp): Promise<void>;
  /** The raw output. */
  written(): string;
  /** Stops reading the output. Returns a function that continues. */
  hold(): void;
  resume(): void;
  /** Resolves with the exit code. */
  readonly exit: Promise<number | null>;
}

/** Runs a command with `script` of util-linux, because Node has no pseudo-terminals. */
export function onPty(line: string, { cwd, env, columns = 80, rows = 24 }: PtyOptions): Pty {
  const size = `stty cols ${String(columns)} rows ${String(rows)}`;
  const child = spawn("script", ["-qefc", `${size}; ${line}`, "/dev/null"], {
    cwd,
    env: { ...env, TERM: "xterm", SHELL: "/bin/sh" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const screen = new FakeScreen(columns, rows);
  const text = () => screen.lines().join("\n");
  let written = "";
  child.stdout.on("data", (chunk: Buffer) => {
    written += chunk.toString();
    screen.write(chunk);
  });
  return {
    type: (keys) => void child.stdin.write(keys),
    lines: () => screen.lines(),
    written: () => written,
    hold: () => void child.stdout.pause(),
    resume: () => void child.stdout.resume(),
    shows: (pattern) => seen(child, pattern, text),
    exit: new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill("SIGKILL");
        reject(new Error(`No end in ${String(WAIT_MS)} ms. It shows:\n${text()}`));
      }, WAIT_MS);
      child.once("close", (code) => {
        clearTimeout(timer);
        resolve(code);
      });
    }),
  };
}

function seen(child: ChildProcess, pattern: RegExp, text: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (pattern.test(text())) resolve();
    };
    look();
    child.stdout?.on("data", look);
    child.once("close", () => {
      look();
      reject(new Error(`It ended, and never showed ${String(pattern)}:\n${text()}`));
    });
  });
}
