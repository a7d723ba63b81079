import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { isBelow } from "../../files/paths.ts";
import { LIMITS, readTextFile } from "../../files/read-file.ts";
import { defineErrors } from "../../language/basics/errors.ts";
import { isJsonObject, parseJson } from "../../language/basics/json-object.ts";
import type { Caller } from "../caller.ts";
import { adoptStateFolder, replaceFile } from "./state-folders.ts";
import { userStateFolder } from "./user-state-folder.ts";

/** What an answer covers: files with the hashes of their content, or settings. Null: it cannot be checked, or trusted. */
export type Contents = ReadonlyMap<string, string | null>;

/** Something of a project that needs trust (docs/trust.md, "Trusting a project"). */
export interface TrustSubject {
  /** `files`: of coding agents. `settings`: of raymond. `runs`: saved ones. */
  readonly kind: "files" | "settings" | "runs";
  /** Absolute: a working folder, a configuration file, a state folder. */
  readonly place: string;
  readonly contents: Contents;
}

/** Whether all of it could be checked. */
export function isTrustable({ contents }: TrustSubject): boolean {
  return ![...contents.values()].includes(null);
}

/** What has not been trusted, for people. Empty: everything is trusted. */
export async function untrustedIn(
  subject: TrustSubject,
  caller: Pick<Caller, "env">,
): Promise<readonly string[]> {
  const { kind, place, contents } = subject;
  const trusted = kind === "runs" ? null : await trustedContents(subject, caller);
  const now = [...contents].flatMap(([name, content]) => {
    const shown = kind === "files" ? shownPath(place, name) : name;
    if (content === null) return [`${shown} (cannot be checked)`];
    if (trusted === null) return [shown];
    const before = trusted.get(name);
    if (before === content) return [];
    return [`${shown} (${before === undefined ? "new" : "changed"})`];
  });
  // A setting that is gone grants nothing. A file may have forbidden something.
  const gone = kind === "files" ? [...(trusted ?? [])].filter(([name]) => !contents.has(name)) : [];
  return [...now, ...gone.map(([name]) => `${shownPath(place, name)} (removed)`)].toSorted();
}

function shownPath(folder: string, file: string): string {
  return isBelow(folder, file) ? path.relative(folder, file) || "." : file;
}

/** What the user has trusted there; null: nothing. */
export async function trustedContents(
  { kind, place }: Pick<TrustSubject, "kind" | "place">,
  { env }: Pick<Caller, "env">,
): Promise<Contents | null> {
  const text = await readTextFile(entryOf({ kind, place }, env), LIMITS.state).catch(() => "");
  const entry = parseJson(text);
  const contents = isJsonObject(entry) ? entry["contents"] : null;
  return isJsonObject(contents)
    ? new Map(Object.entries(contents).map(([n, c]) => [n, String(c)]))
    : null;
}

/**
 * Stores the answer of the user outside of the project, which must not grant trust itself. Rejects with
 * `project/trust-not-stored`.
 */
export async function trust(subject: TrustSubject, { env }: Pick<Caller, "env">): Promise<void> {
  const { kind, place, contents } = subject;
  try {
    if (kind === "runs") {
      await adoptStateFolder(place, env);
      return;
    }
    const entry = entryOf(subject, env);
    await mkdir(path.dirname(entry), { recursive: true, mode: 0o700 });
    const text = JSON.stringify({ place, contents: Object.fromEntries(contents) }, null, 1);
    await replaceFile(entry, `${text}\n`);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw trustErrors["project/trust-not-stored"](place, reason);
  }
}

function entryOf(
  { kind, place }: Pick<TrustSubject, "kind" | "place">,
  env: Caller["env"],
): string {
  const name = createHash("sha256")
    .update(JSON.stringify([kind, place]))
    .digest("hex");
  return path.join(userStateFolder(env), "trusted", `${name}.json`);
}

const trustErrors = defineErrors({
  "project/trust-not-stored": (place: string, reason: string) => ({
    message: `Cannot store that you trust ${place}: ${reason}.`,
    hint: "Set XDG_STATE_HOME to a folder that you can write.",
  }),
});
