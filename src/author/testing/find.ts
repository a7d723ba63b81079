import type { Dirent } from "node:fs";
import { readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { LIMITS, readRegularFile } from "../../files/read-file.ts";
import { extensionOf, stemOf } from "../../language/workflow/files/state-name.ts";
import { testErrors } from "./errors.ts";

const ENDING = ".test.yaml";

/**
 * The test files of a path, sorted: the file itself; all below a folder; for a workflow file those
 * next to it with its name; for a state those of its folder. Rejects with `test/not-found` or
 * `test/no-such-place`.
 */
export async function findTests(place: string): Promise<readonly string[]> {
  if (place.endsWith(ENDING)) return [place];
  const found = await stat(place).catch(() => null);
  if (found === null && !(await isStem(place))) throw testErrors["test/no-such-place"](place);
  const files = found?.isDirectory() === true ? await below(place) : await testsBeside(place);
  if (files.length === 0) throw testErrors["test/not-found"](place);
  return files;
}

/**
 * The workflow of a test file: the file next to it with the same name (`flow.yaml.test.yaml`,
 * `flow.zip.test.yaml`), otherwise its folder. So tests move with their folder, as scenarios do.
 */
export async function workflowOf(file: string): Promise<string> {
  const single = file.slice(0, -ENDING.length);
  const found = PACKED.test(single) ? await stat(single).catch(() => null) : null;
  return found?.isFile() === true ? single : path.dirname(file);
}

const PACKED = /\.(?:ya?ml|zip)$/i;

export async function readTestFile(file: string): Promise<string> {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(
      await readRegularFile(file, LIMITS.source),
    );
  } catch (error) {
    throw testErrors["test/unreadable"](file, error);
  }
}

/** Rejects with `test/unreadable`. */
export async function writeTestFile(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { mode: 0o600 });
  } catch (error) {
    throw testErrors["test/unreadable"](file, error);
  }
}

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

/** Deeper than any real project. */
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
