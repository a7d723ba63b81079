import type { Invocation } from "../../engine/ports/backend.ts";
import type { Level } from "../../language/permissions/permission.ts";
import type { Session, SessionId } from "../../machine/model/agent.ts";
import type { RunSettings } from "../../machine/model/run-state.ts";
import { requireId } from "../common/call-failures.ts";
import type { ManualCall } from "../common/coding-agent.ts";
import type { ProjectAccess } from "../common/project-access.ts";
import { allowedRules, deniedRules } from "./permission-rules.ts";
import { settingsArgs } from "./sandbox.ts";
import { WITHHELD_TOOLS } from "./withheld-tools.ts";

/**
 * The arguments of one call (docs/claude.md, "Command line"), complete each time, since the client stores settings
 * unreliably. The prompt is passed on standard input. Throws for a session without an id, which is a bug: ids are created
 * and saved before the call.
 */
export function clientArgs(
  call: Invocation,
  access: ProjectAccess = { kind: "load" },
  allow: readonly string[] = [],
): readonly string[] {
  return [
    "-p",
    ...["--output-format", "stream-json", "--verbose", "--include-partial-messages"],
    ...commonArgs(call, access, allow, WITHHELD_TOOLS),
    ...optional("--fallback-model", call.fallbackModel),
    ...optional("--max-turns", call.maxTurns === null ? null : String(call.maxTurns)),
    ...optional("--max-budget-usd", budget(call.maxBudgetMicroUsd)),
    ...sessionArgs(call.session),
  ];
}

/** The arguments of a manual session. No budget: the client has one only in non-interactive mode. */
export function manualSessionArgs(
  settings: ManualCall,
  session: SessionId,
  access: ProjectAccess,
): readonly string[] {
  return [...commonArgs(settings, access), ...sessionArgs({ mode: "resume", id: session })];
}

/** `allow`: rules for allowed tool calls. */
function commonArgs(
  call: ManualCall,
  { kind }: ProjectAccess,
  allow: readonly string[] = [],
  withheld: readonly string[] = [],
): readonly string[] {
  return [
    ...(kind === "ignore" ? IGNORE_PROJECT.args : []),
    // In a sandbox, `settingsArgs` lets commands run without asking instead.
    ...MODES[call.level === "full" && call.sandbox !== null ? "edit" : call.level],
    ...optional("--model", call.model),
    ...optional("--effort", call.effort),
    ...list("--tools", call.tools),
    ...list("--allowed-tools", allowedRules(call)),
    ...list("--disallowed-tools", deniedRules(call, withheld)),
    ...settingsArgs(call, allow),
  ];
}

/**
 * How a call ignores the settings of the project (docs/claude.md, "Settings of the project"). Without the source
 * `project`, both versions also ignore CLAUDE.md. They load that of additional folders, and the working folder as one
 * grants no permission.
 */
const IGNORE_PROJECT = {
  args: ["--setting-sources=user", "--add-dir=."],
  env: { CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: "1" },
} as const;

const MODES: Readonly<Record<Level, readonly string[]>> = {
  "read-only": ["--permission-mode", "dontAsk"],
  edit: ["--permission-mode", "acceptEdits"],
  full: ["--dangerously-skip-permissions"],
};

function sessionArgs(session: Session): readonly string[] {
  switch (session.mode) {
    case "fresh":
      return [equals("--session-id", requireId(session))];
    case "resume":
      return [equals("--resume", session.id)];
    case "branch":
      return [
        equals("--resume", session.source),
        "--fork-session",
        equals("--session-id", requireId(session)),
      ];
  }
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
  { switches }: Pick<RunSettings, "switches">,
  disarmed: boolean,
  { kind }: ProjectAccess,
): Readonly<Record<string, string>> {
  return {
    DISABLE_AUTOUPDATER: "1",
    ...(switches["memory"] === true ? {} : { CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1" }),
    ...(kind === "ignore" ? IGNORE_PROJECT.env : {}),
    ...(disarmed ? { CLAUDE_CODE_DISABLE_ATTACHMENTS: "1" } : {}),
  };
}

/**
 * How long the client waits for background tasks after its last turn, ms; 0 = without limit. Its default is 10 minutes
 * (docs/claude.md, "Timeouts").
 */
export function backgroundLimit(toolTimeoutMs: number): Readonly<Record<string, string>> {
  return { CLAUDE_CODE_PRINT_BG_WAIT_CEILING_MS: String(toolTimeoutMs) };
}
