import { appendFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { orDiskError } from "../storage/errors.ts";
import type { Caller } from "../wire/caller.ts";
import { isFolder } from "../wire/system/system.ts";
import { inspectErrors } from "./errors.ts";

/** Writes a text to a file that the user has named, in place of what is there, or behind it. A new file is for its owner only. Resolves with its path. */
export async function writePage(
  text: string,
  named: string,
  { cwd }: Pick<Caller, "cwd">,
  how: "replace" | "append" = "replace",
): Promise<string> {
  const file = path.resolve(cwd, named);
  const write = how === "append" ? appendFile : writeFile;
  if (!isFolder(path.dirname(file))) throw inspectErrors["cli/no-folder"](path.dirname(file));
  await orDiskError("write", file, () => write(file, text, { mode: 0o600 }));
  return file;
}
