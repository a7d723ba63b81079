import type { Invocation } from "../../engine/ports/backend.ts";
import type { Session, SessionId } from "../../machine/agent.ts";
import { NETWORK_TOOLS, sandboxArgs } from "./sandbox.ts";

/**
 * The arguments of one call (docs/claude.md, "Command line"), complete each time, since the client stores settings
 * unreliably. The prompt is passed on standard input. Throws for a session without an id, which is a bug: ids are created
 * and saved before the call.
 */
export function clientArgs(call: Invocation): readonly string[] {
  return [
    "-p",
    ...["--output-format", "stream-json", "--verbose", "--include-partial-messages"],
    ...commonArgs(call),
    ...optional("--max-budget-usd", budget(call.maxBudgetMicroUsd)),
    ...sessionArgs(call.session),
  ];
}

/** The settings of a manual session, which are those of a call. */
export type ManualCall = Pick<
  Invocation,
  | "model"
  | "effort"
  | "skipPermissions"
  | "tools"
  | "allowedTools"
  | "disallowedTools"
  | "deniedPaths"
  | "sandbox"
>;

/** The arguments of a manual session. No budget: the client has one only in non-interactive mode. */
export function manualSessionArgs(settings: ManualCall, session: SessionId): readonly string[] {
  return [...commonArgs(settings), ...sessionArgs({ mode: "resume", id: session })];
}

function commonArgs(call: ManualCall): readonly string[] {
  return [
    // In a sandbox, `sandboxArgs` lets commands run without asking instead.
    ...(call.skipPermissions && call.sandbox === null
      ? ["--dangerously-skip-permissions"]
      : ["--permission-mode", "acceptEdits"]),
    ...optional("--model", call.model),
    ...optional("--effort", call.effort),
    ...list("--tools", call.tools),
    ...list("--allowed-tools", call.allowedTools),
    ...list("--disallowed-tools", deniedRules(call)),
    ...sandboxArgs(call),
  ];
}

/**
 * An `Edit` rule covers a file, or a folder with its content, for every tool that writes files and for the file commands
 * and redirections of Bash. Two leading slashes make the path absolute. `?` matches any character and replaces the
 * special ones.
 */
function deniedRules({
  disallowedTools,
  deniedPaths,
  sandbox,
}: Pick<Invocation, "disallowedTools" | "deniedPaths" | "sandbox">): readonly string[] | null {
  const paths = deniedPaths.map(
    (place) => `Edit(/${posixPath(place).replace(/[^\w./\u0080-\uffff-]/g, "?")})`,
  );
  const rules = [...(sandbox?.network === false ? NETWORK_TOOLS : []), ...paths];
  return rules.length === 0 ? disallowedTools : [...(disallowedTools ?? []), ...rules];
}

/** `C:\Users` is `/c/Users` to the client. */
function posixPath(place: string): string {
  return place
    .replace(/^([A-Za-z]):/, (_, drive: string) => `/${drive.toLowerCase()}`)
    .replaceAll("\\", "/");
}

function sessionArgs(session: Session): readonly string[] {
  switch (session.mode) {
    case "fresh":
      return [equals("--session-id", requireId(session.id))];
    case "resume":
      return [equals("--resume", session.id)];
    case "branch":
      return [
        equals("--resume", session.source),
        "--fork-session",
        equals("--session-id", requireId(session.id)),
      ];
  }
}

function requireId(id: string | null): string {
  if (id === null) throw new Error("a session must have its id before the client is called");
  return id;
}

/** `--name=value` is unambiguous if the value is empty or starts with a hyphen. */
function equals(name: string, value: string): string {
  return `${name}=${value}`;
}

function optional(name: string, value: string | null): readonly string[] {
  return value === null ? [] : [equals(name, value)];
}

/** Comma-separated: rules such as `Bash(git log:*)` may contain spaces. */
function list(name: string, values: readonly string[] | null): readonly string[] {
  return values === null ? [] : [equals(name, values.join(","))];
}

/** Dollars as a plain decimal: the client rejects exponents and 0. */
function budget(microUsd: number | null): string | null {
  if (microUsd === null) return null;
  const whole = Math.max(1, Math.floor(microUsd));
  const digits = String(whole).padStart(7, "0");
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`;
}

/**
 * Environment variables of every call (docs/claude.md, "Command line"): no updates during a run, and no memory by
 * default, since all conversations of a folder share it. A `disarmed` prompt attaches no files.
 */
export function clientSwitches(
  memory: boolean,
  disarmed: boolean,
): Readonly<Record<string, string>> {
  return {
    DISABLE_AUTOUPDATER: "1",
    ...(memory ? {} : { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" }),
    ...(disarmed ? { CLAUDE_CODE_DISABLE_ATTACHMENTS: "1" } : {}),
  };
}

/** Variables that the client sets for its children. raymond may be started by a client, and starts others. */
export const NESTED_SESSION_VARIABLES: ReadonlySet<string> = new Set(["CLAUDECODE"]);
