import { isJsonObject } from "../../../language/basics/json-object.ts";
import { readSettings, shown, UNREADABLE } from "../../common/executing-file.ts";

/*
 * Everything in a file of a project that makes the client execute, permit or send something, one statement each;
 * empty for a harmless file. Keys are compared with lists of harmless ones, so that keys of newer clients need trust.
 * The statements may contain control characters: print them with `printable`.
 */

/** Settings that only change texts, models, the display and files of the client, or deny something. */
const HARMLESS_SETTINGS: ReadonlySet<string> = new Set([
  ...["$schema", "model", "effortLevel", "alwaysThinkingEnabled", "language", "theme"],
  ...["includeCoAuthoredBy", "attribution", "includeGitInstructions", "respectGitignore"],
  ...["spinnerTipsEnabled", "spinnerTipsOverride", "spinnerVerbs", "showTurnDuration"],
  ...["prefersReducedMotion", "verbose", "autoCompactEnabled", "outputStyle"],
  ...["disabledMcpjsonServers", "deniedMcpServers"],
]);

const HARMLESS_PERMISSIONS: ReadonlySet<string> = new Set([
  ...["deny", "ask", "disableBypassPermissionsMode", "disableAutoMode"],
]);

/** `.claude/settings.json` and `.claude/settings.local.json`. */
export function executedBySettings(text: string): readonly string[] {
  const settings = readSettings(text);
  if (settings === null) return [UNREADABLE];
  return Object.entries(settings).flatMap(([key, value]) => {
    if (HARMLESS_SETTINGS.has(key)) return [];
    if (key === "hooks") return executedByHooks(value);
    if (key === "env" && isJsonObject(value)) {
      return Object.entries(value).map(([name, set]) => `env ${name}=${shown(set)}`);
    }
    if (key === "permissions" && isJsonObject(value)) {
      return Object.entries(value)
        .filter(([name, list]) => !HARMLESS_PERMISSIONS.has(name) && !isEmpty(list))
        .map(([name, list]) => `permissions.${name}: ${shown(list)}`);
    }
    return isEmpty(value) ? [] : [`${key}: ${shown(value)}`];
  });
}

/** `{ EVENT: [{ matcher, hooks: [{ type, command }] }] }`. Anything else is shown as it is. */
export function executedByHooks(hooks: unknown): readonly string[] {
  if (!isJsonObject(hooks)) return [`hooks: ${shown(hooks)}`];
  return Object.entries(hooks).flatMap(([event, matchers]) =>
    listOf(matchers).flatMap((matcher) => {
      const commands = isJsonObject(matcher) ? listOf(matcher["hooks"]) : [];
      const unusual = commands.length === 0 && !isEmpty(matcher);
      return (unusual ? [matcher] : commands).map((hook) => `hook ${event}: ${action(hook)}`);
    }),
  );
}

/** `.mcp.json`. */
export function executedByServers(text: string): readonly string[] {
  const file = readSettings(text);
  if (file === null) return [UNREADABLE];
  // Without the key, the client may read the file itself as the table of servers.
  const servers = file["mcpServers"] ?? file;
  if (!isJsonObject(servers)) return [`mcpServers: ${shown(servers)}`];
  return Object.entries(servers).map(([name, server]) => `MCP server ${name}: ${action(server)}`);
}

/** The command line of a hook or server, and its other fields. */
function action(value: unknown): string {
  if (!isJsonObject(value)) return shown(value);
  const { command, args, type: _, ...others } = value;
  if (typeof command !== "string") return shown(value);
  const words = listOf(args).map((word) => (typeof word === "string" ? word : shown(word)));
  const line = [command, ...words].join(" ");
  const { timeout: _timeout, ...rest } = others;
  return isEmpty(rest) ? line : `${line} ${shown(rest)}`;
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

export function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.keys(value).length === 0;
}
