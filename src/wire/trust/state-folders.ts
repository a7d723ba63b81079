import { createHash, randomBytes, randomUUID } from "node:crypto";
import { mkdir, readdir, realpath, rename, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { isBelow } from "../../files/paths.ts";
import { LIMITS, readTextFile } from "../../files/read-file.ts";
import { isJsonObject, parseJson } from "../../language/basics/json-object.ts";
import type { Caller } from "../caller.ts";
import { userStateFolder } from "./user-state-folder.ts";

/*
 * raymond resumes only runs of state folders that it created for this user (docs/trust.md, "Saved runs"). Such a folder
 * contains a random id, and the user's own folder an entry with this id and the place of the folder. So neither another
 * folder at the same place nor a copy of the id elsewhere is trusted.
 */

/** A folder that was moved keeps its inode. A folder that was restored, or mounted again, keeps its path. */
interface Place {
  readonly path: string;
  readonly inode: string;
}

export async function isOwnStateFolder(root: string, env: Caller["env"]): Promise<boolean> {
  const id = await readId(root);
  if (id === null) return false;
  const place = await placeOf(root);
  const known = await readPlaces(entryOf(id, env));
  return known.some((each) => each.path === place.path || each.inode === place.inode);
}

/** Whether no run has been saved in a state folder yet, so that raymond may make it its own. */
export async function isUnusedStateFolder(root: string): Promise<boolean> {
  const states = await readdir(path.join(root, "workflows")).catch(() => []);
  return states.length === 0;
}

/** The target of a state folder that is a link out of the folder that contains it; null: it is not. */
export async function linkedTo(root: string): Promise<string | null> {
  const [target, parent] = await Promise.all(
    [root, path.dirname(root)].map((each) => realpath(each).catch(() => null)),
  );
  if (target == null || parent == null || target === path.join(parent, path.basename(root))) {
    return null;
  }
  return isBelow(parent, target) ? null : target;
}

/** Makes an existing state folder one of this user. Rejects if one of the files cannot be written. */
export async function adoptStateFolder(root: string, env: Caller["env"]): Promise<void> {
  const kept = await readId(root);
  const known = kept === null ? [] : await readPlaces(entryOf(kept, env));
  // An unknown id came with the folder, so others may know it.
  const id = kept === null || known.length === 0 ? randomBytes(16).toString("hex") : kept;
  if (id !== kept) await replaceFile(path.join(root, "id"), `${id}\n`);
  const entry = entryOf(id, env);
  await mkdir(path.dirname(entry), { recursive: true, mode: 0o700 });
  await replaceFile(entry, `${JSON.stringify([...known, await placeOf(root)])}\n`);
}

/** Concurrent writers replace the file as a whole. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const partial = `${file}.${randomUUID()}.tmp`;
  await writeFile(partial, text, { mode: 0o600, flag: "wx" });
  await rename(partial, file);
}

function entryOf(id: string, env: Caller["env"]): string {
  const name = createHash("sha256").update(id).digest("hex");
  return path.join(userStateFolder(env), "state-folders", `${name}.json`);
}

async function readId(root: string): Promise<string | null> {
  const text = await readTextFile(path.join(root, "id"), LIMITS.small).catch(() => "");
  return /^[0-9a-f]{32}$/.test(text.trim()) ? text.trim() : null;
}

async function readPlaces(entry: string): Promise<readonly Place[]> {
  const places = parseJson(await readTextFile(entry, LIMITS.small).catch(() => "[]"));
  return Array.isArray(places) ? places.filter(isPlace) : [];
}

function isPlace(value: unknown): value is Place {
  return (
    isJsonObject(value) && typeof value["path"] === "string" && typeof value["inode"] === "string"
  );
}

async function placeOf(root: string): Promise<Place> {
  const { ino } = await stat(root, { bigint: true });
  return { path: await realpath(root), inode: String(ino) };
}
