import path from "node:path";
import type { Invocation } from "../../engine/ports/backend.ts";
import { foldersAround, isBelow } from "../../files/paths.ts";
import { type Permission, printPermission } from "../../language/permissions/permission.ts";

/** `cwd` is missing for a manual session, which the terminal starts in the right folder. */
type Permitted = Pick<
  Invocation,
  "level" | "allow" | "deny" | "deniedPaths" | "deniedNames" | "sandbox"
> &
  Partial<Pick<Invocation, "cwd">>;

type Access = "read" | "write" | "deny";

/** How the client restricts the commands and edits of a call. */
export type Profile =
  | { readonly kind: "unrestricted" }
  | {
      readonly kind: "restricted";
      readonly filesystem: Readonly<Record<string, Access>>;
      readonly network: boolean;
    }
  /** The client cannot express these items. */
  | { readonly kind: "impossible"; readonly problem: string };

/**
 * The permissions of a call as a profile of the client, which its sandbox enforces for commands and edits (docs/codex.md,
 * "Permissions"). In a profile the more specific path wins, but for raymond `deny` does: so nothing below a denied
 * path is writable.
 */
export function profileOf(call: Permitted, home: string): Profile {
  const { level, allow, deny, sandbox, deniedPaths } = call;
  if (level === "full" && sandbox === null && deny.length === 0) return { kind: "unrestricted" };
  const absolute = (item: Permission) => placeOf(item, home);
  const beyond = [
    ...allow.filter((item) => item.kind === "write" && hasWildcard(absolute(item))),
    ...deny.filter((item) => item.kind === "write" && hasWildcard(absolute(item))),
  ];
  if (beyond.length > 0) {
    return { kind: "impossible", problem: beyond.map(printPermission).join(", ") };
  }
  const allowed = allow.filter(({ kind }) => kind === "write").map(absolute);
  const unreadable = deny.filter(({ kind }) => kind === "read").map(absolute);
  const denied = [
    ...deny.filter(({ kind }) => kind === "write").map(absolute),
    ...deniedPaths,
    ...namesOf(call),
  ];
  const writable = [...ofLevel(call), ...allowed.filter((each) => isWithin(each, sandbox))];
  const excluded = [...denied, ...unreadable];
  const isKept = (each: string) => !excluded.some((no) => isInside(each, no));
  const kept = writable.filter(isKept);
  // The client mounts each path of the profile. It mounts no others, so their folders could be moved.
  const around = excluded.flatMap((each) => foldersAround(each, kept)).filter(isKept);
  return {
    kind: "restricted",
    filesystem: Object.fromEntries([
      [ROOT, "read"],
      ...[...kept, ...around].map((each) => [each, "write"] as const),
      ...denied.map((each) => [each, "read"] as const),
      ...unreadable.map((each) => [each, "deny"] as const),
    ]),
    network: level === "full" && sandbox?.network !== false,
  };
}

/** The client's names of places. */
const ROOT = ":root";
const WORKSPACE = ":workspace_roots";
const TEMPORARY = [":slash_tmp", ":tmpdir"] as const;

/** What the level permits to change. Without a sandbox, commands also need the temporary folders. */
function ofLevel({ level, sandbox, cwd }: Permitted): readonly string[] {
  switch (level) {
    case "read-only":
      return [];
    case "edit":
      return sandbox?.writable ?? [cwd ?? WORKSPACE, ...TEMPORARY];
    case "full":
      return sandbox?.writable ?? [ROOT];
  }
}

function isWithin(place: string, sandbox: Permitted["sandbox"]): boolean {
  return sandbox === null || sandbox.writable.some((each) => isInside(place, each));
}

/** Names of the client are below no folder. */
function isInside(place: string, folder: string): boolean {
  return !place.startsWith(":") && isBelow(folder, place);
}

/**
 * Only the names without wildcards, and those of the working folder: the client can make a file read-only that does not
 * exist, but not all files of a name.
 */
function namesOf({ deniedNames = [], cwd }: Permitted): readonly string[] {
  return deniedNames.flatMap(({ folder, glob }) => {
    const place =
      cwd !== undefined && glob.startsWith("**/") ? path.join(cwd, glob.slice(3)) : null;
    return [place ?? path.join(folder, glob)].filter((each) => !hasWildcard(each));
  });
}

/** An item for a folder includes its content, so `/**` at the end adds nothing. */
function placeOf({ value }: Permission, home: string): string {
  const place = value.replace(/(?:\/\*{1,2})+$/, "") || "/";
  return place.startsWith("~/") ? path.join(home, place.slice(2)) : place;
}

function hasWildcard(place: string): boolean {
  return place.includes("*");
}

/** Arguments for a profile. They take precedence over `sandbox_mode` in the user's config (measured). */
export function profileArgs(profile: Exclude<Profile, { kind: "impossible" }>): readonly string[] {
  if (profile.kind === "unrestricted") return ["--sandbox", "danger-full-access"];
  const { filesystem, network } = profile;
  const entries = Object.entries(filesystem).map(([place, access]) => `${toml(place)}="${access}"`);
  const table = `{filesystem={${entries.join(",")}},network={enabled=${String(network)}}}`;
  return ["-c", `default_permissions="${NAME}"`, "-c", `permissions.${NAME}=${table}`];
}

const NAME = "raymond";

/** A basic string: that of JSON, with the one control character that JSON does not escape. */
export function toml(text: string): string {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}
