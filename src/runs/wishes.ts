import { randomUUID } from "node:crypto";
import { readdirSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../core/error-code.ts";
import { isJsonObject } from "../core/json-object.ts";
import type { RunId } from "../core/machine/run-state.ts";
import { LIMITS, readTextFile } from "../files/read-file.ts";
import type { Store } from "../ports/store.ts";
import type { Wish } from "../ports/wish.ts";

/** Leaves a wish where the process that holds the run will look; what it returns takes the wish back. */
export async function leaveWish(
  store: Pick<Store, "artifacts" | "remote">,
  id: RunId,
  wish: Wish,
): Promise<() => Promise<void>> {
  if (store.remote !== undefined) return store.remote.leaveWish(id, wish);
  const { wishes: folder } = await store.artifacts(id);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = path.join(folder, `${randomUUID()}.json`);
  const part = `${file}.tmp`;
  await writeFile(part, JSON.stringify(wish), { mode: 0o600 });
  await rename(part, file);
  return () => rm(file, { force: true });
}

/** Whether nothing lies there that nobody has taken yet. */
export function areTaken(folder: string): boolean {
  return !list(folder).some((name) => name.endsWith(".json"));
}

/** All wishes that lie there; each is taken once. What is none is passed over. */
export async function takeWishes(folder: string): Promise<readonly Wish[]> {
  const names = list(folder).filter((name) => name.endsWith(".json"));
  const taken = await Promise.all(names.map((name) => take(path.join(folder, name))));
  return taken.filter((wish) => wish !== null);
}

/** At once: each run asks when it begins, and most have no such folder. */
function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

async function take(file: string): Promise<Wish | null> {
  const text = await readTextFile(file, LIMITS.small).catch(() => null);
  await rm(file, { force: true });
  return text === null ? null : parseWish(text);
}

function parseWish(text: string): Wish | null {
  try {
    const json: unknown = JSON.parse(text);
    if (!isJsonObject(json)) return null;
    const { look, stop, retry, agent } = json;
    if (look === "answers" || look === "openings") return { look };
    if (stop === "after-steps") return { stop };
    if (retry === "now") return { retry };
    return agent === null || typeof agent === "string" ? { agent } : null;
  } catch {
    return null;
  }
}
