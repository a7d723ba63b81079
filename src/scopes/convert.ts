import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { LIMITS, readRegularFile } from "../files/read-file.ts";
import { errorCode } from "../language/basics/error-code.ts";
import { filesOf, singleFileOf } from "../language/workflow/convert.ts";
import { MANIFEST_NAME } from "../language/workflow/files/manifest.ts";
import { scopeErrors } from "./errors.ts";
import { folderScope } from "./folder.ts";
import { readSingleFile } from "./single-file.ts";
import { decodeUtf8 } from "./state-text.ts";

export interface OneFile {
  readonly text: string;
  /** Names of files that are not part of it, such as data that scripts read. */
  readonly leftOut: readonly string[];
}

/** The workflow of a folder as the text of one file. Rejects with a RaymondError. */
export async function folderToFile(folder: string): Promise<OneFile> {
  const dir = path.resolve(folder);
  const found = await stat(dir).catch(() => null);
  if (found === null) {
    throw scopeErrors["workflow/not-found"](dir, path.dirname(dir), path.basename(dir), [], USAGE);
  }
  if (!found.isDirectory())
    throw scopeErrors["workflow/not-a-workflow"](dir, "is not a folder", USAGE);
  const scope = folderScope(dir);
  const states = await scope.names();
  if (states.length === 0) throw scopeErrors["workflow/not-a-workflow"](dir, "has no states");
  const names = [...states, ...(await scope.schemas())];
  const texts = await Promise.all(
    names.map(async (name) => [name, await utf8(path.join(dir, name))] as const),
  );
  const others = (await readdir(dir)).filter((name) => !names.includes(name)).sort();
  const manifest = others.includes(MANIFEST_NAME)
    ? await utf8(path.join(dir, MANIFEST_NAME))
    : null;
  const leftOut = others.filter((name) => name !== MANIFEST_NAME && !name.startsWith("."));
  return { text: singleFileOf(new Map(texts), manifest), leftOut };
}

const USAGE = "Pass a workflow folder or a .yaml file with states. Unpack a zip first.";

/**
 * Writes the states of a workflow in one file to a new or empty folder. `manifest` may change the
 * text of its manifest. Resolves with the names of the files.
 */
export async function fileToFolder(
  file: string,
  folder: string,
  manifest: (file: string, text: string) => string = (_, text) => text,
): Promise<readonly string[]> {
  const { single, text } = await readSingleFile(path.resolve(file));
  const dir = path.resolve(folder);
  const files = filesOf(single, text);
  await mkdir(dir, { recursive: true, mode: 0o700 });
  if ((await readdir(dir)).length > 0)
    throw scopeErrors["workflow/conversion-target"](dir, "is not empty");
  for (const [name, content] of files) {
    const target = path.join(dir, name);
    await writeNew(target, name === MANIFEST_NAME ? manifest(target, content) : content);
  }
  return [...files.keys()];
}

/** Writes a new private file. Rejects with `workflow/conversion-target` if it exists. */
export async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    throw scopeErrors["workflow/conversion-target"](file, "already exists");
  }
}

/** A workflow in one file is UTF-8, including its scripts. */
async function utf8(file: string): Promise<string> {
  return decodeUtf8(await readRegularFile(file, LIMITS.source), file);
}
