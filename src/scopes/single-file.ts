import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { StateName } from "../core/protocol/transition.ts";
import { filesOf } from "../core/workflow/convert.ts";
import { MANIFEST_NAME, type Manifest, parseManifest } from "../core/workflow/manifest.ts";
import { parseSingleFile, type SingleFile } from "../core/workflow/single-file.ts";
import type { StateFile } from "../core/workflow/state-file.ts";
import { LIMITS, readRegularFile, readTextFile } from "../files/read-file.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import type { Scope } from "../ports/scope.ts";
import { syncFolder, writeDurably } from "./durable.ts";
import { MissingStateError, NotAWorkflowError, reasonOf, UnpackError } from "./errors.ts";

/** A workflow of one file that was read and found good. */
export interface ReadSingleFile {
  /** Absolute. */
  readonly path: string;
  readonly text: string;
  readonly single: SingleFile;
}

/** Reads what the workflow of a folder says of itself. Rejects with a RaymondError that names the line. */
export async function readManifestFile(file: string): Promise<Manifest> {
  return parseManifest(await textOf(file), file);
}

/** Whether a path is that of a workflow in one file: that of a simulation, or of tests, is not. */
export function isSingleFile(file: string): boolean {
  return /\.ya?ml$/.test(file) && !/\.(?:sim|test)\.yaml$/.test(file);
}

/** Reads a workflow of one file, and all its states. Rejects with a RaymondError that names the line. */
export async function readSingleFile(file: string): Promise<ReadSingleFile> {
  const text = await textOf(file);
  return { path: file, text, single: parseSingleFile(text, file) };
}

/**
 * Puts a copy of the file into the folder of a run, so that a resume does not
 * need the original, and beside it the states as files of their own, for scripts
 * to be started by. Resolves with the folder of these.
 */
export async function placeSingleFile(
  { path: file, text, single }: ReadSingleFile,
  { unpacked: dir }: Artifacts["archive"],
): Promise<string> {
  const partial = `${dir}.partial`;
  try {
    await rm(partial, { recursive: true, force: true });
    await mkdir(partial, { recursive: true, mode: 0o700 });
    const copy = copyBeside(dir);
    await rm(copy, { force: true });
    await writeDurably(copy, Buffer.from(text), 0o600);
    for (const [name, content] of filesOf(single, text)) {
      if (name === MANIFEST_NAME) continue;
      await writeDurably(path.join(partial, name), Buffer.from(content), modeOf(name));
    }
    await syncFolder(partial);
    await rm(dir, { recursive: true, force: true });
    await rename(partial, dir);
    await syncFolder(path.dirname(dir));
    return dir;
  } catch (error) {
    throw new UnpackError(file, path.dirname(dir), error);
  }
}

/** The states of a run whose workflow is one file, from the copy that the run has. */
export function singleFileScope(folder: string): Scope {
  const dir = path.resolve(folder);
  const copy = copyBeside(dir);
  const read = cached(copy, dir);
  return {
    dir,
    names: async () => [...(await read()).states.keys()],
    path: (name) => path.join(dir, name),
    source: () => copy,
    load: async (name) => stateOf(await read(), name, copy),
  };
}

/** What the workflow of such a copy says of itself. */
export async function placedManifest(folder: string): Promise<Manifest> {
  return (await readSingleFile(copyBeside(path.resolve(folder)))).single.manifest;
}

/** A state of a file that was read. Throws a {@link MissingStateError} where there is none. */
export function stateOf({ states }: SingleFile, name: StateName, file: string): StateFile {
  const state = states.get(name);
  if (state === undefined) throw new MissingStateError(name, file, [...states.keys()]);
  return state.file;
}

/** Where the copy lies: not among the states, so that no script takes it for one. */
function copyBeside(dir: string): string {
  return path.join(path.dirname(dir), MANIFEST_NAME);
}

/**
 * Read anew when somebody has mended the copy, and then its states are written
 * anew as well, so that a script that starts is what stands there.
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

/** Replaces what differs, each file at once: a script that runs keeps the one that it has begun. */
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

function modeOf(name: StateName): number {
  return name.endsWith(".md") ? 0o600 : 0o700;
}

async function textOf(file: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readRegularFile(file, LIMITS.source);
  } catch (error) {
    throw new NotAWorkflowError(
      file,
      `cannot be read (${reasonOf(error)})`,
      "See to it that the file is there and that you may read it.",
    );
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new NotAWorkflowError(file, "is not UTF-8 text", "Save it as UTF-8.");
  }
}
