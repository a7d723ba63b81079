import type { Invocation } from "../../engine/ports/backend.ts";
import type { Permission } from "../../language/permissions/permission.ts";
import { NETWORK_TOOLS } from "./sandbox.ts";

type Allowing = Pick<Invocation, "level" | "allow" | "allowedTools">;
type Denying = Pick<
  Invocation,
  "level" | "allow" | "deny" | "disallowedTools" | "deniedPaths" | "deniedNames" | "sandbox"
>;

/** The rules of `--allowed-tools`; null: none. */
export function allowedRules({ allow, allowedTools }: Allowing): readonly string[] | null {
  if (allow.length === 0) return allowedTools;
  return [...(allowedTools ?? []), ...allow.flatMap(rulesFor)];
}

/** The rules of `--disallowed-tools`; null: none. They take precedence over those of `--allowed-tools`. */
export function deniedRules(
  call: Denying,
  withheld: readonly string[] = [],
): readonly string[] | null {
  const rules = [
    ...withheld,
    ...(call.disallowedTools ?? []),
    ...call.deny.flatMap(rulesFor),
    ...(call.sandbox?.network === false ? NETWORK_TOOLS : []),
    ...(call.level === "read-only" ? editRules(call.allow) : []),
    ...call.deniedPaths.map((place) => `Edit(${literalPath(place)})`),
    ...(call.deniedNames ?? []).map(
      ({ folder, glob }) => `Edit(${literalPath(folder).replace(/\/$/, "")}/${glob})`,
    ),
  ];
  return rules.length === 0 ? call.disallowedTools : rules;
}

/**
 * Rules that deny all edits, also where settings of the client allow them. A deny rule has no
 * exceptions, so with `write` items only the mode `dontAsk` denies the rest.
 */
function editRules(allow: readonly Permission[]): readonly string[] {
  return allow.some(({ kind }) => kind === "write") ? [] : EDITS;
}

/** The tools stay available to the model: other tools would discard the cache of the conversation. */
const EDITS = ["Edit(//**)"];

/** The client's notation (docs/claude.md, "Permissions"). */
function rulesFor({ kind, value }: Permission): readonly string[] {
  switch (kind) {
    case "command":
      return [value === "*" ? "Bash" : `Bash(${value})`];
    case "read":
      return [`Read(${rulePath(value)})`];
    case "write":
      return [`Edit(${rulePath(value)})`];
    case "network":
      return [value === "*" ? "WebFetch" : `WebFetch(domain:${value})`];
    case "tool":
      return [value];
  }
}

/** A path whose `*` and `~` have no meaning. */
function literalPath(place: string): string {
  return rulePath(place.replace(/[*~]/g, "?"));
}

/**
 * The path of a rule, which covers a file, or a folder with its content: an `Edit` rule for every
 * tool that writes files and for the file commands and redirections of Bash. Two leading slashes make
 * it absolute. `?` matches any character and replaces the special ones.
 */
function rulePath(place: string): string {
  const plain = posixPath(place).replace(/[^\w.*~/\u0080-\uffff-]/g, "?");
  return plain.startsWith("~/") ? plain : `/${plain}`;
}

/** `C:\Users` is `/c/Users` to the client. A backslash in another path is part of a name. */
function posixPath(place: string): string {
  if (!/^(?:[A-Za-z]:|\\\\)/.test(place)) return place;
  return place
    .replace(/^([A-Za-z]):/, (_, drive: string) => `/${drive.toLowerCase()}`)
    .replaceAll("\\", "/");
}
