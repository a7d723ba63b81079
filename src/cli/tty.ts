import { closeSync } from "node:fs";
import { isatty } from "node:tty";
import { colorStyle, plainStyle, type Style } from "../console/style.ts";
import type { Shell } from "./shell.ts";

/** Variables that decide about colors and the live view. */
export interface TerminalEnvironment {
  readonly CI?: string | undefined;
  readonly FORCE_COLOR?: string | undefined;
  readonly NO_COLOR?: string | undefined;
  readonly TERM?: string | undefined;
}

/**
 * The style of a stream (docs/configuration.md, "Environment variables"). `FORCE_COLOR` takes precedence (`0` and
 * `false` disable color), then `NO_COLOR`, then `TERM=dumb`, then whether the stream is a terminal.
 */
export function chooseStyle(isTerminal: boolean, env: TerminalEnvironment): Style {
  return hasColor(isTerminal, env) ? colorStyle : plainStyle;
}

function hasColor(isTerminal: boolean, env: TerminalEnvironment): boolean {
  const forced = env.FORCE_COLOR;
  if (forced !== undefined) return forced !== "0" && forced.toLowerCase() !== "false";
  // no-color.org: only a value that is not empty counts.
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== "") return false;
  return isTerminal && env.TERM !== "dumb";
}

/** Whether a person watches the terminal (docs/live.md, "Plain output"). */
export function isInteractive({ CI, TERM }: TerminalEnvironment): boolean {
  const isCi = CI !== undefined && CI !== "" && CI !== "0" && CI.toLowerCase() !== "false";
  return !isCi && TERM !== "dumb";
}

/** Asks at the terminal. Null at the end of input, and after `signal`. */
export async function askLine(question: string, signal?: AbortSignal): Promise<string | null> {
  const { createInterface } = await import("node:readline");
  process.stderr.write(question);
  // The terminal edits the line, and turns Ctrl-C into a signal.
  const lines = createInterface({ input: process.stdin, terminal: false });
  const close = () => {
    lines.close();
  };
  signal?.addEventListener("abort", close, { once: true });
  const text = await new Promise<string | null>((resolve) => {
    lines.once("line", resolve);
    lines.once("close", () => {
      resolve(null);
    });
    if (signal?.aborted === true) close();
  });
  signal?.removeEventListener("abort", close);
  close();
  if (text === null && signal?.aborted !== true) process.stderr.write("\n");
  return text;
}

/** Asks for a yes at the terminal. Anything else is a no. */
export async function confirm(ask: NonNullable<Shell["ask"]>, question: string): Promise<boolean> {
  const answer = await ask(`${question} [y/N] `);
  return /^y(?:es)?$/i.test((answer ?? "").trim());
}

/**
 * Closes, at exit, terminals that have disconnected. Node restores the modes of its terminals at exit and aborts
 * (SIGABRT instead of the exit code) if one of them is gone. It skips closed descriptors.
 */
export function closeLostTerminals(process: NodeJS.Process): void {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  process.on("exit", () => {
    for (const fd of terminals.filter((fd) => !isatty(fd))) {
      try {
        closeSync(fd);
      } catch {
        // Closed already.
      }
    }
  });
}
