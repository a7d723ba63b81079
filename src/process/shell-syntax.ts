import { randomUUID } from "node:crypto";
import { type ProcessHost, TOKEN_VARIABLE } from "../engine/ports/process.ts";
import type { SyntaxCheck, SyntaxFault } from "../engine/ports/syntax.ts";

/** No script written by a person takes this long to parse, ms. */
const PATIENCE_MS = 10_000;

/** Concurrent shells. */
const AT_ONCE = 4;

/**
 * Checks scripts with `bash -n`, which executes nothing. First parses all texts in one process,
 * each as a function. Only if that fails, parses each text on its own, because a process start
 * takes longer than parsing.
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
    // Without the user's environment there are no startup files.
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

/** Parses `bash: line 3: syntax error near unexpected token `fi'`. */
function readFault(said: string): SyntaxFault {
  const [, line = "1", message = "syntax error"] = /: line (\d+): (.+)/.exec(said) ?? [];
  return { line: Number(line), message };
}
