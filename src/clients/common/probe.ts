import { randomUUID } from "node:crypto";
import { type StartProcess, TOKEN_VARIABLE } from "../../engine/ports/process.ts";

/** Environment of a probe of the client. */
export interface Asker {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The client is not recorded in a run, so it must end with this process. */
  readonly start: StartProcess;
}

export interface Answer {
  /** Null if it was killed, timed out, or did not start. */
  readonly exitCode: number | null;
  readonly stdout: string;
}

/** Timeout, ms. The client starts in a second, but not on a busy machine. */
const TIMEOUT_MS = 30_000;

/** Runs a command of the client that costs nothing, such as `--version`. Does not reject if it fails. `done` kills it. */
export async function askClient(
  command: string,
  args: readonly string[],
  { env, cwd, start }: Asker,
  done: AbortSignal = new AbortController().signal,
): Promise<Answer> {
  const chunks: Buffer[] = [];
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  // A token of its own: a kill terminates all processes with the same token.
  const token = `probe.${randomUUID()}`;
  const running = start({
    command,
    args,
    cwd,
    env: { ...env, DISABLE_AUTOUPDATER: "1", [TOKEN_VARIABLE]: token },
    input: null,
    onStdout: (chunk) => {
      if (chunks.length < 100) chunks.push(chunk);
    },
    onStderr: () => undefined,
    token,
    cancellation: { interrupt: timeout, kill: AbortSignal.any([timeout, done]) },
  });
  const end = await running.done;
  return { exitCode: end.exitCode, stdout: Buffer.concat(chunks).toString("utf8") };
}
