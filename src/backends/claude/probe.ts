import { randomUUID } from "node:crypto";
import { type StartProcess, TOKEN_VARIABLE } from "../../ports/process.ts";

/** From where, and how, the client is asked. */
export interface Asker {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** No record of a run names the client: it must end with this process. */
  readonly start: StartProcess;
}

/** What a short question to the client has brought. */
export interface Answer {
  /** Null when it was ended by a signal, took too long, or could not be started. */
  readonly exitCode: number | null;
  readonly stdout: string;
}

/** How long a question may take, ms: the client starts in a second, a busy machine needs more. */
const PATIENCE_MS = 30_000;

/**
 * Asks the client something that costs nothing, such as `--version`. Never
 * rejects for its answers; when `done` aborts nobody wants to know any more.
 */
export async function askClient(
  command: string,
  args: readonly string[],
  { env, cwd, start }: Asker,
  done: AbortSignal = new AbortController().signal,
): Promise<Answer> {
  const chunks: Buffer[] = [];
  const patience = AbortSignal.timeout(PATIENCE_MS);
  // Of its own: an end by force reaches all that carry the token, and nothing else.
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
    cancellation: { interrupt: patience, kill: AbortSignal.any([patience, done]) },
  });
  const end = await running.done;
  return { exitCode: end.exitCode, stdout: Buffer.concat(chunks).toString("utf8") };
}
