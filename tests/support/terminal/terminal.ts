import { type ChildProcess, spawn } from "node:child_process";
import { onTestFailed, onTestFinished } from "vitest";
import { type CliOptions, entry, environment } from "../cli.ts";
import { WAIT_MS } from "../until.ts";

/** raymond in a pseudo-terminal. */
export interface TerminalProcess {
  /** Sends keys. */
  type(keys: string): void;
  /** Resolves when the output after the last match matches. Rejects if the process ends before. */
  shows(pattern: RegExp): Promise<void>;
  /** Resolves with the exit code. */
  readonly exit: Promise<number | null>;
  /** All output. */
  text(): string;
}

/** Starts a command in a pseudo-terminal, with `script` of util-linux. */
export function startInTerminal(args: readonly string[], options: CliOptions): TerminalProcess {
  const words = [process.execPath, ...entry(options.main), ...args].map(quoted).join(" ");
  const child = spawn("script", ["-qfec", `stty rows 40 cols 100; exec ${words}`, "/dev/null"], {
    cwd: options.cwd ?? options.project.dir,
    env: { ...environment(options), TERM: "xterm-256color", SHELL: "/bin/sh" },
    stdio: "pipe",
  });
  child.stdin.on("error", () => undefined);
  const shown = collect(child);
  onTestFailed(() => {
    process.stderr.write(`\n${shown.text()}\n`);
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), WAIT_MS);
  onTestFinished(() => {
    clearTimeout(timer);
    child.kill("SIGTERM");
  });
  return {
    type: (keys) => void child.stdin.write(keys),
    shows: shown.shows,
    exit: new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("close", resolve);
    }),
    text: shown.text,
  };
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function collect(child: ChildProcess) {
  let text = "";
  let from = 0;
  child.stdout?.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  const shows = (pattern: RegExp): Promise<void> =>
    new Promise((resolve, reject) => {
      const look = (): boolean => {
        const found = pattern.exec(text.slice(from));
        if (found === null) return false;
        from += found.index + found[0].length;
        child.stdout?.off("data", look);
        resolve();
        return true;
      };
      if (look()) return;
      child.stdout?.on("data", look);
      child.once("close", () => {
        reject(new Error(`It ended, and did not show ${String(pattern)}.`));
      });
    });
  return { text: () => text, shows };
}
