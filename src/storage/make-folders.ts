import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "../language/basics/error-code.ts";

/**
 * Creates a folder with its missing parents. Returns the first new one, or null. Node's `recursive` option loops forever
 * on file systems that always answer ENOENT, such as /proc.
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
