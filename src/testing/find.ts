import type { Dirent } from "node:fs";
import { readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { extensionOf, stemOf } from "../core/workflow/state-name.ts";
import { LIMITS, readRegularFile } from "../files/read-file.ts";
import { NoSuchPlaceError, NoTestsError, UnreadableTestError } from "./errors.ts";

const ENDING = ".test.yaml";

/**
 * The test files that a path means, sorted: itself; those of a folder and of all
 * folders below it; of any other file, a workflow, those beside it that begin
 * with its name, and of a state those of its folder. Rejects with a NoTestsError
 * where there is none, and a NoSuchPlaceError where nothing is at the path.
 */
export async function findTests(place: string): Promise<readonly string[]> {
  if (place.endsWith(ENDING)) return [place];
  const found = await stat(place).catch(() => null);
  if (found === null && !(await isStem(place))) throw new NoSuchPlaceError(place);
  const files = found?.isDirectory() === true ? await below(place) : await testsBeside(place);
  if (files.length === 0) throw new NoTestsError(place);
  return files;
}

/**
 * The workflow of a test file: the file beside it whose name it begins with
 * (`flow.yaml.test.yaml`, `flow.zip.test.yaml`), else the folder that it lies in.
 * So the tests of a folder go where the folder goes, as its simulation does.
 */
export async function workflowOf(file: string): Promise<string> {
  const single = file.slice(0, -ENDING.length);
  const found = PACKED.test(single) ? await stat(single).catch(() => null) : null;
  return found?.isFile() === true ? single : path.dirname(file);
}

const PACKED = /\.(?:ya?ml|zip)$/i;

/** Rejects with an {@link UnreadableTestError}. */
export async function readTestFile(file: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(
      await readRegularFile(file, LIMITS.source),
    );
  } catch (error) {
    throw new UnreadableTestError(file, error);
  }
}

/** Rejects with an {@link UnreadableTestError}. */
export async function writeTestFile(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { mode: 0o600 });
  } catch (error) {
    throw new UnreadableTestError(file, error);
  }
}

/** The name of a file without its extension, as a state may be named. */
async function isStem(place: string): Promise<boolean> {
  const stem = path.basename(place);
  const names = (await entriesOf(path.dirname(place))).map(({ name }) => name);
  return names.some((name) => extensionOf(name) !== null && stemOf(name) === stem);
}

async function testsBeside(place: string): Promise<readonly string[]> {
  const folder = path.dirname(place);
  const names = (await entriesOf(folder)).map(({ name }) => name);
  const own = names.filter((name) =>
    PACKED.test(place) ? name === path.basename(place) + ENDING : name.endsWith(ENDING),
  );
  return own.sort().map((name) => path.join(folder, name));
}

/** Deeper than any project that somebody looks through. */
const DEEPEST = 12;

async function below(folder: string, depth = 0): Promise<readonly string[]> {
  const entries = await entriesOf(folder);
  const files = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(ENDING))
    .map(({ name }) => path.join(folder, name))
    .sort();
  const folders = entries
    .filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name))
    .map(({ name }) => name)
    .sort();
  if (depth === DEEPEST) return files;
  const deeper: (readonly string[])[] = [];
  for (const name of folders) deeper.push(await below(path.join(folder, name), depth + 1));
  return [...files, ...deeper.flat()];
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => []);
}
