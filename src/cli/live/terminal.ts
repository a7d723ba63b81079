import { closeSync, constants, openSync, readFileSync, writeSync } from "node:fs";
import { emitKeypressEvents } from "node:readline";
import type { Size } from "../../console/live/live-view.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import type { Key } from "./keys.ts";

export interface Terminal {
  size(): Size;
  /** Writes what the terminal accepts now, and returns the number of bytes. Never blocks, never throws. */
  readonly write: (bytes: Uint8Array) => number;
  readonly hasKeys: boolean;
  /** Reads keys without echo. `continued`: the process continues after it was suspended. */
  listen(listener: {
    readonly key: (key: Key) => void;
    readonly resized: () => void;
    readonly continued: () => void;
  }): void;
  /** Whether this process is in the foreground. A background process must not draw. */
  isOurs(): boolean;
  /** Signals the process group, as the terminal does for Ctrl-C and Ctrl-Z. */
  signal(signal: "SIGINT" | "SIGTSTP"): void;
  /** Releases the keyboard. Idempotent. */
  release(): void;
}

/** The terminal of standard error and, if it is one, of standard input. Null if it cannot be written to without blocking. */
export function openTerminal(process: NodeJS.Process): Terminal | null {
  const screen = openScreen(process);
  if (screen === null) return null;
  const { stdin, stderr } = process;
  const hasKeys = stdin.isTTY;
  let listening = false;
  /** Whether raw mode is on. The shell resets it while this process is suspended. */
  let isRaw = false;

  const enableRawMode = (): void => {
    // In the background, this would stop the process.
    if (!hasKeys || !listening || isRaw || !isForeground(process)) return;
    isRaw = true;
    // Node skips a mode that it believes to be set.
    stdin.setRawMode(false);
    stdin.setRawMode(true);
  };
  const disableRawMode = (): void => {
    if (isRaw) stdin.setRawMode(false);
    isRaw = false;
  };
  return {
    hasKeys,
    size: () => ({ columns: stderr.columns || 80, rows: stderr.rows || 24 }),
    write: screen.write,
    isOurs: () => {
      enableRawMode();
      return isForeground(process);
    },
    listen: ({ key, resized, continued }) => {
      listening = true;
      stderr.on("resize", resized);
      process.on("SIGCONT", () => {
        isRaw = false;
        enableRawMode();
        continued();
      });
      if (!hasKeys) return;
      // A closed terminal (EIO) sends no keys.
      stdin.on("error", () => undefined);
      emitKeypressEvents(stdin);
      stdin.on("keypress", (text: string | undefined, pressed: Partial<Key> | undefined) => {
        if (!listening) return;
        const { name = "", ctrl = false } = pressed ?? {};
        key({ text: text !== undefined && isWritten(text) ? text : "", name, ctrl });
      });
      enableRawMode();
      stdin.resume();
    },
    signal: (signal) => {
      if (process.platform === "win32") {
        if (signal === "SIGINT") process.emit("SIGINT", "SIGINT");
        return;
      }
      if (signal === "SIGTSTP") disableRawMode();
      // 0: the process group.
      process.kill(0, signal);
    },
    release: () => {
      if (!listening) return;
      listening = false;
      disableRawMode();
      stdin.pause();
      screen.close();
    },
  };
}

/** Whether a key writes a character. */
function isWritten(text: string): boolean {
  return !/^[\p{Cc}]/u.test(text);
}

interface ScreenFile {
  readonly write: (bytes: Uint8Array) => number;
  readonly close: () => void;
}

/**
 * Node blocks while a terminal is full (Ctrl-S, a slow line), and all steps with it. So the terminal is opened
 * again by its name, without blocking. Other writers to the terminal are not affected.
 */
function openScreen({ platform, stderr }: NodeJS.Process): ScreenFile | null {
  if (platform === "win32") {
    // On Windows, Node does not block.
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
        // A full terminal may accept it later. A closed terminal discards everything.
        return errorCode(error) === "EAGAIN" ? 0 : bytes.length;
      }
    },
    close: () => {
      closed = true;
      closeSync(file);
    },
  };
}

/** Whether this process is in the foreground; true if that is unknown. */
function isForeground({ platform }: NodeJS.Process): boolean {
  if (platform !== "linux") return true;
  try {
    const stat = readFileSync("/proc/self/stat", "latin1");
    // After the name, which may contain anything: state, parent, group, session, terminal, foreground group.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [group, foreground] = [fields[2], fields[5]];
    return group === foreground;
  } catch {
    return true;
  }
}
