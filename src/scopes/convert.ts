import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../core/error-code.ts";
import { filesOf, singleFileOf } from "../core/workflow/convert.ts";
import { MANIFEST_NAME } from "../core/workflow/manifest.ts";
import { LIMITS, readRegularFile } from "../files/read-file.ts";
import {
  ConversionTargetError,
  NotAWorkflowError,
  UnreadableStateError,
  WorkflowNotFoundError,
} from "./errors.ts";
import { folderScope } from "./folder.ts";
import { readSingleFile } from "./single-file.ts";

/** A folder as one file, and what of it is not in there. */
export interface OneFile {
  readonly text: string;
  /** Names of files that are no states, such as data that scripts read. */
  readonly leftOut: readonly string[];
}

/** The workflow of a folder as the text of one file. Rejects with a RaymondError. */
export async function folderToFile(folder: string): Promise<OneFile> {
  const dir = path.resolve(folder);
  const found = await stat(dir).catch(() => null);
  if (found === null) {
    throw new WorkflowNotFoundError(dir, path.dirname(dir), path.basename(dir), [], {
      otherwise: TAKEN,
    });
  }
  if (!found.isDirectory()) throw new NotAWorkflowError(dir, "is no folder", TAKEN);
  const names = await folderScope(dir).names();
  if (names.length === 0) throw new NotAWorkflowError(dir, "has no states");
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

const TAKEN =
  "What is converted is the folder of a workflow, or a .yaml file with states; a zip is unpacked first.";

/**
 * Writes the states of a workflow of one file into a folder, which must be new or
 * empty, and what it says of itself as `manifest` makes it. Resolves with their names.
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
  if ((await readdir(dir)).length > 0) throw new ConversionTargetError(dir, "is not empty");
  for (const [name, content] of files) {
    const target = path.join(dir, name);
    await writeNew(target, name === MANIFEST_NAME ? manifest(target, content) : content);
  }
  return [...files.keys()];
}

/** Writes a file that must not be there yet, for its owner only. Rejects with a {@link ConversionTargetError}. */
export async function writeNew(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    throw new ConversionTargetError(file, "is there already");
  }
}

/** In one file all is UTF-8, scripts too. */
async function utf8(file: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(
      await readRegularFile(file, LIMITS.source),
    );
  } catch (error) {
    if (errorCode(error) !== null && !(error instanceof TypeError)) throw error;
    throw new UnreadableStateError(file, "is not UTF-8 text", "Save it as UTF-8.", error);
  }
}
