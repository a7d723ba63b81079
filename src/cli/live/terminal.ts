import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { emitKeypressEvents } from "node:readline";
import { errorCode } from "../../core/error-code.ts";
import type { Size } from "../../observers/live/live-view.ts";
import type { Key } from "./keys.ts";

/** The terminal of a person who watches a run. */
export interface Terminal {
  size(): Size;
  /** Writes what the terminal takes now, and returns how many bytes that were. Never waits, never throws. */
  readonly write: (bytes: Uint8Array) => number;
  /** Whether it has a keyboard. */
  readonly hasKeys: boolean;
  /** From now on keys are heard, and not shown; `continued`: the process goes on after it was suspended. */
  listen(listener: {
    readonly key: (key: Key) => void;
    readonly resized: () => void;
    readonly continued: () => void;
  }): void;
  /** Whether this process may draw: not while the shell has it in the background. */
  isOurs(): boolean;
  /** As the shell does for Ctrl-C and Ctrl-Z: for this process, and whoever was started with it. */
  signal(signal: "SIGINT" | "SIGTSTP"): void;
  /** Gives the keyboard back. Idempotent. */
  release(): void;
}

/** The terminal of standard error and, where it is one, of standard input. Null where it cannot be written to without waiting. */
export function openTerminal(process: NodeJS.Process): Terminal | null {
  const screen = openScreen(process);
  if (screen === null) return null;
  const { stdin, stderr } = process;
  const hasKeys = stdin.isTTY;
  let listening = false;
  /** Keys come one by one, and are not shown; the shell takes that back while we are suspended. */
  let taken = false;

  const takeKeys = (): void => {
    // In the background that would stop the whole process.
    if (!hasKeys || !listening || taken || !isForeground(process)) return;
    taken = true;
    // Node sets only what it believes to be otherwise.
    stdin.setRawMode(false);
    stdin.setRawMode(true);
  };
  const giveKeys = (): void => {
    if (taken) stdin.setRawMode(false);
    taken = false;
  };
  return {
    hasKeys,
    size: () => ({ columns: stderr.columns || 80, rows: stderr.rows || 24 }),
    write: screen.write,
    isOurs: () => {
      takeKeys();
      return isForeground(process);
    },
    listen: ({ key, resized, continued }) => {
      listening = true;
      stderr.on("resize", resized);
      process.on("SIGCONT", () => {
        taken = false;
        takeKeys();
        continued();
      });
      if (!hasKeys) return;
      // A terminal that is gone, EIO say, has no more keys.
      stdin.on("error", () => undefined);
      emitKeypressEvents(stdin);
      stdin.on("keypress", (text: string | undefined, pressed: Partial<Key> | undefined) => {
        if (!listening) return;
        const { name = "", ctrl = false } = pressed ?? {};
        key({ text: text !== undefined && isWritten(text) ? text : "", name, ctrl });
      });
      takeKeys();
      stdin.resume();
    },
    signal: (signal) => {
      if (process.platform === "win32") {
        if (signal === "SIGINT") process.emit("SIGINT", "SIGINT");
        return;
      }
      if (signal === "SIGTSTP") giveKeys();
      // 0: all whom the shell has started together, as the terminal itself would.
      process.kill(0, signal);
    },
    release: () => {
      if (!listening) return;
      listening = false;
      giveKeys();
      stdin.pause();
      screen.close();
    },
  };
}

/** What a key writes, and does not only say. */
function isWritten(text: string): boolean {
  return !/^[\p{Cc}]/u.test(text);
}

interface ScreenFile {
  readonly write: (bytes: Uint8Array) => number;
  readonly close: () => void;
}

/**
 * Node waits whenever a terminal takes no more (Ctrl-S, a slow line), and all steps wait with it. So the terminal is
 * opened once more, by its name, and this file never waits; what others write to the terminal is not touched by that.
 */
function openScreen({ platform, stderr }: NodeJS.Process): ScreenFile | null {
  if (platform === "win32") {
    // There Node itself does not wait.
    return {
      write: (bytes) => {
        if (stderr.writableNeedDrain || !stderr.writable) return 0;
        stderr.write(bytes);
        return bytes.length;
      },
      close: () => undefined,
    };
  }
  const flags = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
  let file: number;
  try {
    file = openSync(platform === "linux" ? "/proc/self/fd/2" : "/dev/tty", flags);
  } catch {
    return null;
  }
  let closed = false;
  return {
    write: (bytes) => {
      if (closed) return bytes.length;
      try {
        return writeSync(file, bytes);
      } catch (error) {
        // Who takes nothing now may take it later; a terminal that is gone takes all, and shows nothing.
        return errorCode(error) === "EAGAIN" ? 0 : bytes.length;
      }
    },
    close: () => {
      closed = true;
      closeSync(file);
    },
  };
}

/** Whether keys go to this process; where that cannot be known, they do. */
function isForeground({ platform }: NodeJS.Process): boolean {
  if (platform !== "linux") return true;
  try {
    const stat = readFileSync("/proc/self/stat", "latin1");
    // Behind the name, which may hold anything: state, parent, group, session, terminal, its foreground group.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [group, foreground] = [fields[2], fields[5]];
    return group === foreground;
  } catch {
    return true;
  }
}
