import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, fstatSync, openSync, readSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { inputFile } from "./input-file.ts";

/** A program that is to outlive the one that starts it. */
export interface DetachedCall {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Its standard input; null: it is empty. */
  readonly input: string | null;
}

/** How it ended, while who started it was there to see it. */
export interface DetachedEnd {
  /** Null when a signal ended it, or it never ran. */
  readonly exitCode: number | null;
  /** The end of what it wrote to standard error, or why it never ran. */
  readonly said: string;
}

/**
 * Starts a program in a session of its own, with nothing that ties it to this process: no terminal, no pipe,
 * no signal. The promise is of its end, and keeps nobody waiting: this process may end before.
 */
export function startDetached(call: DetachedCall): Promise<DetachedEnd> {
  const said = scratchFile();
  const input = call.input === null ? null : inputFile(call.input);
  const child = spawn(call.command, call.args, {
    cwd: call.cwd,
    env: call.env,
    detached: true,
    windowsHide: true,
    stdio: [call.input === null ? "ignore" : (input ?? "pipe"), "ignore", said ?? "ignore"],
  });
  if (input !== null) closeSync(input);
  else child.stdin?.on("error", () => undefined).end(call.input);
  child.unref();
  return new Promise((resolve) => {
    const end = (exitCode: number | null, otherwise: string): void => {
      resolve({ exitCode, said: said === null ? otherwise : tailOf(said) || otherwise });
      if (said !== null) closeSync(said);
    };
    child.once("error", (error) => {
      end(null, error.message);
    });
    child.once("exit", (code) => {
      end(code, "");
    });
  });
}

/** A private file without a name, which goes with the last who has it open; null where none can be made. */
function scratchFile(): number | null {
  const name = path.join(tmpdir(), `raymond-detached.${randomUUID()}`);
  try {
    const file = openSync(name, "wx+", 0o600);
    // Windows takes no name away from an open file: the folder for temporary files keeps an empty promise.
    if (process.platform !== "win32") unlinkSync(name);
    return file;
  } catch {
    return null;
  }
}

function tailOf(file: number): string {
  const { size } = fstatSync(file);
  const bytes = Buffer.alloc(Math.min(size, MOST_SAID));
  readSync(file, bytes, 0, bytes.length, size - bytes.length);
  return bytes.toString().trim();
}

const MOST_SAID = 16 * 1024;
