import type { Finding, Login } from "../common/coding-agent.ts";
import { parseObject, textAt, valueAt } from "../common/json-fields.ts";
import { type Asker, askClient } from "../common/probe.ts";

/**
 * Runs `claude auth status`, which costs nothing (docs/claude.md, "Login"). Also with a custom ANTHROPIC_BASE_URL the
 * client needs a key (measured on both versions). When `done` aborts, the result is `unknown`.
 */
export async function askLogin(command: string, asker: Asker, done?: AbortSignal): Promise<Login> {
  const { stdout } = await askClient(command, ["auth", "status"], asker, done);
  return readLogin(stdout, asker.env);
}

const PROVIDERS = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];

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

/** Parses the output of `claude auth status`. `env` can select another provider. */
export function readLogin(stdout: string, env: Asker["env"] = {}): Login {
  const login = reportedLogin(stdout);
  const provider = PROVIDERS.find((name) => (env[name] ?? "") !== "");
  if (login.state !== "unknown" || provider === undefined) return login;
  return { ...login, reason: `${provider} selects another provider` };
}

function reportedLogin(stdout: string): Login {
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

/** A client whose `-p` is `--bare` ignores CLAUDE.md and the hooks, skills and subagents of the project. */
export function printModeFindings(mode: PrintMode, env: Asker["env"]): readonly Finding[] {
  if (mode !== "bare") return [];
  const isSet = (env["CLAUDE_CODE_SIMPLE"] ?? "") !== "";
  return [
    {
      name: "bare",
      level: "warn",
      message:
        "claude -p behaves as with --bare: it ignores CLAUDE.md, hooks, skills and subagents, and uses only a key to log in.",
      hint: isSet
        ? "Unset CLAUDE_CODE_SIMPLE."
        : "If the client is a script, remove --bare from it. Otherwise use an earlier version, with --client claude=PATH.",
    },
  ];
}
