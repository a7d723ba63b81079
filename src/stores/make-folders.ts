import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "../core/error-code.ts";

/**
 * Makes a folder and those above it that are missing; the first one made, or
 * null. `mode`: of those that it makes. Not by Node's `recursive`: where a file system answers ENOENT whatever
 * is there, as /proc does, that one tries for ever.
 */
export async function makeFolders(path: string, mode?: number): Promise<string | null> {
  const made = await makeOne(path, mode);
  if (made !== "parent missing") return made === "made" ? path : null;
  const parent = dirname(path);
  const first = parent === path ? null : await makeFolders(parent, mode);
  // Another process that makes the same folders may be faster.
  const second = await makeOne(path, mode);
  if (second === "parent missing") {
    throw Object.assign(new Error(`ENOENT: mkdir '${path}'`), { code: "ENOENT" });
  }
  return first ?? (second === "made" ? path : null);
}

async function makeOne(
  path: string,
  mode: number | undefined,
): Promise<"made" | "there" | "parent missing"> {
  try {
    await mkdir(path, { mode });
    return "made";
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT") return "parent missing";
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return "there";
    throw error;
  }
}
