import { type ChildProcess, spawn } from "node:child_process";
import { FakeScreen } from "./screen.ts";
import { MOST_MS } from "./until.ts";

export interface PtyOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly columns?: number;
  readonly rows?: number;
}

/** A line of sh on a terminal of its own, as a person sees it. */
export interface Pty {
  /** Presses keys. */
  type(text: string): void;
  /** What can be seen, line by line, with all that has scrolled away. */
  lines(): readonly string[];
  /** Resolves once that can be seen; rejects if the line ends before. */
  shows(pattern: RegExp): Promise<void>;
  /** All that was written to it, as it was written. */
  written(): string;
  /** Nothing that is written is taken any more, until it goes on. */
  hold(): void;
  goOn(): void;
  /** Resolves with its exit code when it has ended. */
  readonly exit: Promise<number | null>;
}

/** Runs it by `script` of util-linux, which has pseudo-terminals where Node has none. */
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
    goOn: () => void child.stdout.resume(),
    shows: (pattern) => seen(child, pattern, text),
    exit: new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill("SIGKILL");
        reject(new Error(`No end in ${String(MOST_MS)} ms. It shows:\n${text()}`));
      }, MOST_MS);
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
