import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import { onTestFinished } from "vitest";
import { type ProcessCall, TOKEN_VARIABLE } from "../../../src/engine/ports/process.ts";
import { endProcesses, findProcesses } from "../../../src/process/find-processes.ts";
import { thisPlatform } from "../../../src/process/platform/platforms.ts";
import { cancellation, type TestCancellation } from "../cancellation.ts";
import { until } from "../until.ts";

const { table } = thisPlatform;

/** A bash process and its output so far. */
export interface BashCall {
  readonly call: ProcessCall;
  readonly token: string;
  readonly cancellation: TestCancellation;
  stdout(): string;
  stderr(): string;
  /** Resolves with the first match in the output. */
  said(pattern: RegExp): Promise<string>;
}

/** Runs a script with bash. All processes with its token are killed after the test. */
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
      // bash reads ~/.bashrc if SHLVL is unset and stdin is a socket, as it is for Node.
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
