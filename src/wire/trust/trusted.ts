import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { LIMITS, readRegularFile } from "../../files/read-file.ts";
import type { Caller } from "../caller.ts";

/** Something of a project that needs trust, and what it would decide. */
export interface TrustSubject {
  /** Absolute: a file of raymond, or the working folder whose settings the client obeys. */
  readonly file: string;
  /** Who obeys it: `raymond`, or the name of a coding agent. */
  readonly by: string;
  /** Each setting with its value, each command line. Trust covers only these. */
  readonly statements: readonly string[];
  /** The files that trust covers, with the SHA-256 of their content. */
  readonly contents: readonly (readonly [file: string, sha256: string])[];
}

export function isTrusted(subject: TrustSubject, { env }: Pick<Caller, "env">): boolean {
  return existsSync(path.join(trustFolder(env), trustKey(subject)));
}

/** Stored outside the project, which must not grant trust itself. */
export async function trust(subject: TrustSubject, { env }: Pick<Caller, "env">): Promise<void> {
  const folder = trustFolder(env);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(path.join(folder, trustKey(subject)), `${subject.file}\n`, { mode: 0o600 });
}

/** Identifies the place and the content that an answer covers. */
export function trustKey({ file, statements, contents }: TrustSubject): string {
  const covered = contents.length === 0 ? [file, statements] : [file, statements, contents];
  return createHash("sha256").update(JSON.stringify(covered)).digest("hex");
}

/**
 * The files in a project that command lines name, with their hashes: a trusted command must not execute a changed
 * script. Files that are named in another way, or that those files load, are not found.
 */
export async function namedFiles(
  commands: readonly string[],
  project: string,
): Promise<TrustSubject["contents"]> {
  const words = commands.flatMap((command) => {
    const line = command.replace(PROJECT_VARIABLE, () => project);
    return [...line.split(/[\s"'`;|&<>()=,]+/), ...shellWords(line)];
  });
  const places = new Set(
    words.filter((word) => word !== "").map((word) => path.resolve(project, word)),
  );
  const found: [string, string][] = [];
  for (const place of places) {
    if (!place.startsWith(project + path.sep)) continue;
    const bytes = await readRegularFile(place, LIMITS.source).catch(() => null);
    if (bytes === null) continue;
    found.push([path.relative(project, place), createHash("sha256").update(bytes).digest("hex")]);
  }
  return found.toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** The words of a command line without their quotes, also those of a command line in quotes. */
function shellWords(line: string): readonly string[] {
  const words = line.match(SHELL_WORD) ?? [];
  return words.flatMap((word) => {
    const text = word.replace(QUOTES, "$1$2$3");
    return text === line || !/\s/.test(text) ? [text] : [text, ...shellWords(text)];
  });
}

const SHELL_WORD = /(?:"[^"]*"|'[^']*'|\\.|[^\s"'`;|&<>()\\])+/g;
const QUOTES = /"([^"]*)"|'([^']*)'|\\(.)/g;

const PROJECT_VARIABLE = /\$\{?CLAUDE_PROJECT_DIR\}?/g;

function trustFolder(env: Caller["env"]): string {
  return path.join(userStateFolder(env), "trusted");
}

/** The folder of raymond for data of the user that belongs to no project. */
export function userStateFolder(env: Caller["env"]): string {
  const home = env["HOME"] ?? homedir();
  const state = env["XDG_STATE_HOME"] ?? "";
  const base = path.isAbsolute(state) ? state : path.join(home, ".local", "state");
  const local = process.platform === "win32" ? env["LOCALAPPDATA"] : undefined;
  return path.join(local ?? base, "raymond");
}
