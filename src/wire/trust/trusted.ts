import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import type { Caller } from "../caller.ts";

/** A file, and the settings that it would decide. */
export interface TrustSubject {
  /** Absolute. */
  readonly file: string;
  /** Each setting with its value. Trust covers only these. */
  readonly statements: readonly string[];
}

export function isTrusted(subject: TrustSubject, { env }: Pick<Caller, "env">): boolean {
  return existsSync(path.join(trustFolder(env), keyOf(subject)));
}

/** Stored outside the project, which must not grant trust itself. */
export async function trust(subject: TrustSubject, { env }: Pick<Caller, "env">): Promise<void> {
  const folder = trustFolder(env);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(path.join(folder, keyOf(subject)), `${subject.file}\n`, { mode: 0o600 });
}

function keyOf({ file, statements }: TrustSubject): string {
  return createHash("sha256")
    .update(JSON.stringify([file, statements]))
    .digest("hex");
}

function trustFolder(env: Caller["env"]): string {
  const home = env["HOME"] ?? homedir();
  const state = env["XDG_STATE_HOME"] ?? "";
  const base = path.isAbsolute(state) ? state : path.join(home, ".local", "state");
  const local = process.platform === "win32" ? env["LOCALAPPDATA"] : undefined;
  return path.join(local ?? base, "raymond", "trusted");
}
