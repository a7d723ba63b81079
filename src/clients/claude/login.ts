import { randomUUID } from "node:crypto";
import { type StartProcess, TOKEN_VARIABLE } from "../../engine/ports/process.ts";
import { parseObject, textAt, valueAt } from "../common/json-fields.ts";

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

/** The login state that the client reports. */
export type Login =
  | { readonly state: "in"; readonly method: string }
  | { readonly state: "out" }
  /** Another provider than Anthropic, or a client without this command. */
  | { readonly state: "unknown" };

/**
 * Runs `claude auth status`, which costs nothing (docs/claude.md, "Login"). Also with a custom ANTHROPIC_BASE_URL the
 * client needs a key (measured on both versions). When `done` aborts, the result is `unknown`.
 */
export async function askLogin(command: string, asker: Asker, done?: AbortSignal): Promise<Login> {
  const { stdout } = await askClient(command, ["auth", "status"], asker, done);
  return readLogin(stdout);
}

/** Whether `claude -p` loads CLAUDE.md, hooks and all tools; `unknown`: it did not answer. */
export type PrintMode = "full" | "bare" | "unknown";

/**
 * Starts `claude -p` with a command of its own, so no model is called and nothing is spent, and reads the tools of its
 * `init` event. With `--bare` or `CLAUDE_CODE_SIMPLE` they are only Bash, Edit and Read (measured on both versions).
 */
export async function askPrintMode(command: string, asker: Asker): Promise<PrintMode> {
  const args = ["-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence"];
  // The probe has no standard input.
  const { stdout } = await askClient(command, [...args, ...UNTRUSTED, "/clear"], asker);
  return readPrintMode(stdout);
}

/** Without the settings, hooks and MCP servers of the project, which may be untrusted. */
const UNTRUSTED = ["--setting-sources=user", "--strict-mcp-config"] as const;

/** Parses the output of {@link askPrintMode}. */
export function readPrintMode(stdout: string): PrintMode {
  const init = stdout
    .split("\n")
    .map(parseObject)
    .find((event) => event !== null && textAt(event, "subtype") === "init");
  const tools = init == null ? null : valueAt(init, "tools");
  if (!Array.isArray(tools) || tools.length === 0) return "unknown";
  return ["Task", "Agent", "Skill"].some((name) => tools.includes(name)) ? "full" : "bare";
}

/** Parses the output of `claude auth status`. */
export function readLogin(stdout: string): Login {
  const status = parseObject(stdout);
  const provider = status === null ? null : textAt(status, "apiProvider");
  if (status === null || (provider ?? "firstParty") !== "firstParty") return { state: "unknown" };
  switch (valueAt(status, "loggedIn")) {
    case true:
      return { state: "in", method: textAt(status, "authMethod") ?? "unknown" };
    case false:
      return { state: "out" };
    default:
      return { state: "unknown" };
  }
}
