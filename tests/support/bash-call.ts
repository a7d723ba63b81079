import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { onTestFinished } from "vitest";
import { type ProcessCall, TOKEN_VARIABLE } from "../../src/ports/process.ts";
import { thisPlatform } from "../../src/process/platforms.ts";
import { endProcesses, findProcesses } from "../../src/process/sweep.ts";
import { cancellation, type TestCancellation } from "./cancellation.ts";
import { until } from "./until.ts";

const { table } = thisPlatform;

/** A call of bash, with what it has said so far. */
export interface BashCall {
  readonly call: ProcessCall;
  readonly token: string;
  readonly cancellation: TestCancellation;
  stdout(): string;
  stderr(): string;
  /** Resolves with the first thing in the output that matches. */
  said(pattern: RegExp): Promise<string>;
}

/** A call that runs this text by bash; whatever carries its token is ended with the test. */
export function bashCall(text: string, changes: Partial<ProcessCall> = {}): BashCall {
  const token = changes.token ?? `${randomUUID()}.1`;
  const cancel = cancellation();
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  const said = { stdout: () => join(stdout), stderr: () => join(stderr) };
  onTestFinished(async () => {
    await endProcesses(table, await findProcesses(table, token), { graceMs: 0 });
  });
  return {
    ...said,
    token,
    cancellation: cancel,
    said: (pattern) =>
      until(`${String(pattern)} in the output`, () =>
        Promise.resolve(pattern.exec(said.stdout())?.[0]),
      ),
    call: {
      command: "/bin/bash",
      args: ["-c", text],
      cwd: tmpdir(),
      // A first-level bash whose input is a socket, as Node's pipes are, would read ~/.bashrc.
      env: { PATH: process.env["PATH"] ?? "", SHLVL: "1", [TOKEN_VARIABLE]: token },
      input: null,
      onStdout: (chunk) => stdout.push(chunk),
      onStderr: (chunk) => stderr.push(chunk),
      token,
      cancellation: cancel,
      ...changes,
    },
  };
}

function join(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString("utf8");
}
