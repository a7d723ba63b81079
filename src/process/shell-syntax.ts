import { randomUUID } from "node:crypto";
import { type ProcessHost, TOKEN_VARIABLE } from "../ports/process.ts";
import type { SyntaxCheck, SyntaxFault } from "../ports/syntax.ts";

/** A script that keeps a shell parsing for so long, ms, is not written by people. */
const PATIENCE_MS = 10_000;

/** Asks this bash by `-n`, with which it reads and executes nothing. */
export function shellSyntax(command: string, start: ProcessHost["start"]): SyntaxCheck {
  return {
    check: async (text) => {
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
    },
  };
}

/** `bash: line 3: syntax error near unexpected token `fi'`, and the line itself below it. */
function readFault(said: string): SyntaxFault | null {
  const [, line, message] = /: line (\d+): (.+)/.exec(said) ?? [];
  return line === undefined || message === undefined ? null : { line: Number(line), message };
}
