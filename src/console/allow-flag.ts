import { parsePermission, printPermission } from "../language/permissions/permission.ts";
import { permissionOfRule } from "../language/permissions/tool-rule.ts";
import type { UserPermissions } from "../machine/decide/permissions.ts";
import type { DenialCount } from "../machine/model/denial.ts";
import { shellWord } from "./shell-word.ts";

type Denied = Pick<DenialCount, "tool" | "input" | "asked">;

/**
 * The flag that allows the denied calls in addition to the items that the run already allows: the flag replaces the
 * run's list. Null if there is nothing to allow. If the state asks for the call, it allows the item of the state.
 */
export function allowFlag(denials: readonly Denied[], user: UserPermissions): string | null {
  const before = user.allow ?? [];
  const known = new Set([
    ...before,
    ...(user.allowedTools ?? []).flatMap((rule) => permissionOfRule(rule) ?? []),
  ]);
  const added = denials
    .flatMap(itemsFor)
    .filter((item) => !known.has(item) && !known.has(anyOfKind(item)));
  if (added.length === 0) return null;
  return `--allow ${shellWord([...new Set([...before, ...added])].join(","))}`;
}

/** `PLAN.md  Bash  npm test 2×` */
export function deniedWords({ state, tool, input, count, narrowed }: DenialCount): string {
  const times = count === 1 ? "" : ` ${String(count)}×`;
  const note = narrowed === true ? "  (the state must list it)" : "";
  return `${state}  ${tool}${input === "" ? "" : `  ${input}`}${times}${note}`;
}

/** The words before the flag. They say so if it allows more than the denied calls. */
export function allowWords(flag: string): string {
  return `to allow them${/ \*\)/.test(flag) ? ", with any other arguments" : ""}`;
}

/**
 * The narrowest items that allow the call: one per command of a command line, since the client checks each. Empty if no
 * item can express it: `command(*)` would allow any command.
 */
function itemsFor({ tool, input, asked }: Denied): readonly string[] {
  if (asked !== undefined) return [asked];
  const items = tool === "Bash" ? commandItems(input) : [otherItem(tool, input)];
  const parsed = items.map((item) => (item === null ? null : parsePermission(item)));
  if (!parsed.every((each) => each?.ok === true)) return [];
  return parsed.map(({ permission }) => printPermission(permission));
}

function commandItems(line: string): readonly (string | null)[] {
  return /[`$<>\u2026\\]/.test(line) ? [] : commandsOf(line).map(commandItem);
}

/** Splits a command line outside of quotes. */
function commandsOf(line: string): readonly string[] {
  const parts = line.match(/(?:'[^']*'|"[^"]*"|[^'"&|;\n])+/g) ?? [];
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function commandItem(command: string): string | null {
  if (PLAIN_COMMAND.test(command)) return `command(${command})`;
  const program = /^[\w./-]+(?= )/.exec(command)?.[0];
  return program === undefined ? null : `command(${program} *)`;
}

/** A command without quotes. */
const PLAIN_COMMAND = /^[\w./@=+-]+(?: [\w./@=+:-]+)*$/;

/** The tools whose main argument is a path, and the kind of its item. */
const PATH_KINDS: Readonly<Record<string, "read" | "write">> = {
  Read: "read",
  ...{ Edit: "write", MultiEdit: "write", NotebookEdit: "write", Write: "write" },
};

function otherItem(tool: string, input: string): string | null {
  if (tool === "WebFetch") {
    return URL.canParse(input) ? `network(${new URL(input).hostname})` : null;
  }
  const kind = Object.hasOwn(PATH_KINDS, tool) ? PATH_KINDS[tool] : undefined;
  if (kind === undefined) return `tool(${tool})`;
  // A star would be a wildcard.
  return /[*\u2026]/.test(input) ? null : `${kind}(${input})`;
}

function anyOfKind(item: string): string {
  return item.replace(/^(command|network)\(.*\)$/s, "$1(*)");
}
