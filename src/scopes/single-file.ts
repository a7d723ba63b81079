import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import path from "node:path";
import type { Artifacts } from "../engine/ports/artifacts.ts";
import type { Scope } from "../engine/ports/scope.ts";
import { LIMITS, readRegularFile, readTextFile } from "../files/read-file.ts";
import type { StateName } from "../language/protocol/transition.ts";
import { filesOf } from "../language/workflow/convert.ts";
import {
  MANIFEST_NAME,
  type Manifest,
  parseManifest,
} from "../language/workflow/files/manifest.ts";
import { parseSingleFile, type SingleFile } from "../language/workflow/files/single-file.ts";
import { type StateFile, stateKind } from "../language/workflow/files/state-file.ts";
import type { JsonSchema } from "../language/workflow/named-schemas.ts";
import { isSchemaName } from "../language/workflow/policy/schema-name.ts";
import { replaceFolder, syncFolder, writeDurably } from "./durable.ts";
import { CHECK_FILE, reasonOf, scopeErrors } from "./errors.ts";
import { SchemaCache } from "./schemas/schema-cache.ts";

/** A parsed workflow in one file. */
export interface ReadSingleFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  readonly single: SingleFile;
}

/** Reads the manifest of a workflow folder. Rejects with a RaymondError that names the line. */
export async function readManifestFile(file: string): Promise<Manifest> {
  return parseManifest(await textOf(file), file);
}

/** Whether a path is a workflow in one file. Simulations and tests are not. */
export function isSingleFile(file: string): boolean {
  return /\.ya?ml$/.test(file) && !/\.(?:sim|test)\.yaml$/.test(file);
}

/**
 * Reads a workflow in one file, with all its states. Rejects with a RaymondError that names the
 * line.
 */
export async function readSingleFile(file: string): Promise<ReadSingleFile> {
  const text = await textOf(file);
  return { path: file, text, single: parseSingleFile(text, file) };
}

/**
 * Copies the file into the folder of a run, so that resuming does not need the original, and writes
 * the states as separate files, so that scripts can be started. Resolves with the folder of the
 * states.
 */
export async function placeSingleFile(
  { path: file, text, single }: ReadSingleFile,
  { unpacked: dir }: Artifacts["archive"],
): Promise<string> {
  try {
    await replaceFolder(dir, async (partial) => {
      const copy = copyBeside(dir);
      await rm(copy, { force: true });
      await writeDurably(copy, Buffer.from(text), 0o600);
      for (const [name, content] of filesOf(single, text)) {
        if (name === MANIFEST_NAME) continue;
        await writeDurably(path.join(partial, name), Buffer.from(content), modeOf(name));
      }
      await syncFolder(partial);
    });
    return dir;
  } catch (error) {
    throw scopeErrors["workflow/unpack-failed"](file, path.dirname(dir), error);
  }
}

/** The states of a run whose workflow is one file, from the run's copy. */
export function singleFileScope(folder: string): Scope {
  const dir = path.resolve(folder);
  const copy = copyBeside(dir);
  const read = cached(copy, dir);
  const compiled = new SchemaCache();
  return {
    dir,
    names: async () => [...(await read()).states.keys()],
    path: (name) => path.join(dir, name),
    source: () => copy,
    load: async (name) => stateOf(await read(), name, copy),
    schemas: async () => [...(await read()).schemas.keys()],
    schema: async (name) => schemaOf(await read(), name, copy, compiled),
  };
}

/** The manifest of such a copy. */
export async function copiedSingleFileManifest(folder: string): Promise<Manifest> {
  return (await readSingleFile(copyBeside(path.resolve(folder)))).single.manifest;
}

/** A state of a parsed file. Throws `workflow/missing-state`. */
export function stateOf({ states }: SingleFile, name: StateName, file: string): StateFile {
  const state = states.get(name);
  if (state === undefined)
    throw scopeErrors["workflow/missing-state"](name, file, [...states.keys()]);
  return state.file;
}

/** A schema of a parsed file. Rejects with `workflow/missing-schema` or `lint/RAY901`. */
export async function schemaOf(
  { schemas }: SingleFile,
  name: string,
  file: string,
  compiled: SchemaCache,
): Promise<JsonSchema> {
  const schema = schemas.get(name);
  if (schema === undefined)
    throw scopeErrors["workflow/missing-schema"](name, file, [...schemas.keys()]);
  return compiled.get(name, schema.text, file, schema.at);
}

/** The path of the copy: outside the folder of the states, so that scripts do not see it. */
function copyBeside(dir: string): string {
  return path.join(path.dirname(dir), MANIFEST_NAME);
}

/**
 * Parses the copy again after it was edited, and then rewrites the state files, so that scripts
 * match it.
 */
function cached(file: string, dir: string): () => Promise<SingleFile> {
  let known: { readonly stamp: string; readonly single: SingleFile } | null = null;
  return async () => {
    const found = statSync(file, { throwIfNoEntry: false });
    const stamp = `${String(found?.mtimeMs)} ${String(found?.size)}`;
    if (known?.stamp === stamp) return known.single;
    const text = await textOf(file);
    const single = parseSingleFile(text, file);
    await follow(dir, filesOf(single, text));
    known = { stamp, single };
    return single;
  };
}

/** Replaces changed files atomically: a running script keeps its old file. */
async function follow(dir: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, content] of files) {
    if (name === MANIFEST_NAME) continue;
    const target = path.join(dir, name);
    if ((await readTextFile(target, LIMITS.source).catch(() => null)) === content) continue;
    const partial = `${target}.${randomBytes(6).toString("hex")}.partial`;
    await writeDurably(partial, Buffer.from(content), modeOf(name));
    await rename(partial, target);
  }
}

function modeOf(name: string): number {
  return stateKind(name) === "script" && !isSchemaName(name) ? 0o700 : 0o600;
}

async function textOf(file: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readRegularFile(file, LIMITS.source);
  } catch (error) {
    const problem = `cannot be read (${reasonOf(error)})`;
    throw scopeErrors["workflow/not-a-workflow"](file, problem, CHECK_FILE);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw scopeErrors["workflow/not-a-workflow"](file, "is not UTF-8 text", "Save it as UTF-8.");
  }
}
