import { randomUUID } from "node:crypto";
import { type ProcessHost, TOKEN_VARIABLE } from "../ports/process.ts";
import type { SyntaxCheck, SyntaxFault } from "../ports/syntax.ts";

/** A script that keeps a shell parsing for so long, ms, is not written by people. */
const PATIENCE_MS = 10_000;

/** So many shells parse at once. */
const AT_ONCE = 4;

/**
 * Asks this bash by `-n`, with which it reads and executes nothing: first of all
 * texts at once, as a function each, and only where something is wrong of each
 * by itself, for a process takes longer than the parsing.
 */
export function shellSyntax(command: string, start: ProcessHost["start"]): SyntaxCheck {
  return {
    check: async (texts) => {
      const functions = texts.map((text) => `f() {\n:\n${text}\n}\n`);
      if ((await parse(functions.join(""), command, start)) === null) return texts.map(() => null);
      const faults: (SyntaxFault | null)[] = [];
      const waiting = texts.map((text, index) => ({ text, index }));
      const work = async () => {
        for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
          faults[next.index] = await parse(next.text, command, start);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return faults;
    },
  };
}

async function parse(
  text: string,
  command: string,
  start: ProcessHost["start"],
): Promise<SyntaxFault | null> {
  const said: Buffer[] = [];
  const token = `lint.${randomUUID()}`;
  const running = start({
    command,
    // Without an environment of the user's there is no file that it would read first.
    args: ["--norc", "--noprofile", "-n"],
    cwd: "/",
    env: { LC_ALL: "C", [TOKEN_VARIABLE]: token },
    input: text,
    onStdout: () => undefined,
    onStderr: (chunk) => {
      if (said.length < 10) said.push(chunk);
    },
    token,
    cancellation: {
      interrupt: AbortSignal.timeout(PATIENCE_MS),
      kill: AbortSignal.timeout(PATIENCE_MS * 2),
    },
  });
  const { exitCode } = await running.done;
  return exitCode === 0 || exitCode === null ? null : readFault(Buffer.concat(said).toString());
}

/** `bash: line 3: syntax error near unexpected token `fi'`, and the line itself below it. */
function readFault(said: string): SyntaxFault {
  const [, line = "1", message = "it says no more than that"] =
    /: line (\d+): (.+)/.exec(said) ?? [];
  return { line: Number(line), message };
}
