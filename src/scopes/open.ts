import { createHash } from "node:crypto";
import { type Stats, statSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Artifacts } from "../engine/ports/artifacts.ts";
import type { RaymondError } from "../language/basics/errors.ts";
import type { StateName } from "../language/protocol/transition.ts";
import {
  MANIFEST_NAME,
  type Manifest,
  NO_MANIFEST,
  parseManifest,
} from "../language/workflow/files/manifest.ts";
import { parseStateFile } from "../language/workflow/files/parse-state-file.ts";
import type { Platform } from "../language/workflow/files/platform.ts";
import type { StateFile } from "../language/workflow/files/state-file.ts";
import { extensionOf, stemOf } from "../language/workflow/files/state-name.ts";
import type { JsonSchema } from "../language/workflow/json-schema.ts";
import { findEntry, resolveEntry } from "../language/workflow/policy/entry.ts";
import { describeLookalike } from "../language/workflow/state-lookalike.ts";
import type { WorkflowKind } from "../machine/run-state.ts";
import {
  type Archive,
  archivedSchemas,
  readArchive,
  readArchivedSchema,
  readArchivedState,
  readArchivedText,
  unpackArchive,
} from "./archive.ts";
import { writeDurably } from "./durable.ts";
import { scopeErrors } from "./errors.ts";
import { folderScope, nearStatesIn, readTextWithin } from "./folder.ts";
import { SchemaCache } from "./schemas/schema-cache.ts";
import {
  isSingleFile,
  placeSingleFile,
  readManifestFile,
  readSingleFile,
  schemaOf,
  stateOf,
} from "./single-file.ts";
import { findWorkflowsIn, nextHint } from "./suggest-workflows.ts";

/** A workflow with its first state. */
export interface LocatedWorkflow extends WorkflowSource {
  readonly entry: StateName;
}

/** A workflow on disk, with or without a first state. */
export interface WorkflowSource {
  /** A named state file belongs to its folder. */
  readonly kind: WorkflowKind;
  /** The path that the user named, absolute and with its extension. */
  readonly path: string;
  /** The folder, zip or file that contains the states. */
  readonly home: string;
  /** Of a zip or a single file, in lower-case hex; null for a folder. */
  readonly sha256: string | null;
  readonly names: readonly StateName[];
  /** The named state; null for a whole workflow. */
  readonly entry: StateName | null;
  /** Rejects with a RaymondError. */
  readonly manifest: () => Promise<Manifest>;
  /** For messages. */
  readonly manifestPath: string;
  /** The path of a state or schema in messages: its file, its place in the zip, or the single file. */
  readonly pathOf: (name: string) => string;
  /** Parses a state. Rejects with a RaymondError. */
  readonly load: (name: StateName) => Promise<StateFile>;
  /** The names of its schemas, sorted. */
  readonly schemas: readonly string[];
  /** Compiles a schema. Rejects with a RaymondError. */
  readonly schema: (name: string) => Promise<JsonSchema>;
  /** The text of a file from `pathOf` or `manifestPath`; null if it is unreadable or not UTF-8. */
  readonly read: (file: string) => Promise<string | null>;
  /** Replaces such a file; null for a zip, which is read-only. */
  readonly write: ((file: string, text: string) => Promise<void>) | null;
  /**
   * The folder of the states for a run with these artifacts. Copies zips and single files there.
   */
  readonly place: (artifacts: Pick<Artifacts, "archive">) => Promise<string>;
}

/**
 * Finds the workflow that a user names (docs/authoring.md, "Names and files"): a folder, a zip, a
 * single file, or a state file with or without its extension. `start`: a first state other than the
 * default. Rejects with `workflow/not-found`, `workflow/not-a-workflow`, `workflow/two-starts`, or
 * errors of the first state (`src/language/workflow/errors.ts`) and of zips.
 */
export async function locateWorkflow(
  wanted: string,
  platform: Platform,
  start: string | null = null,
): Promise<LocatedWorkflow> {
  const found = await findWorkflow(wanted, platform, start !== null);
  if (found.entry !== null) {
    // A named state is itself the first state.
    if (start !== null)
      throw scopeErrors["workflow/two-starts"](found.path, start, path.dirname(found.path));
    return { ...found, entry: found.entry };
  }
  const entry =
    start === null
      ? findEntry(found.names, platform, found.path)
      : resolveEntry(found.names, start, platform);
  return { ...found, entry };
}

/**
 * Like {@link locateWorkflow} without the first state. A folder that contains only a README counts
 * as a workflow only with `evenBare`.
 */
export async function findWorkflow(
  wanted: string,
  platform: Platform,
  evenBare = false,
): Promise<WorkflowSource> {
  const absolute = path.resolve(wanted);
  const there = entryAt(wanted);
  if (there === null) return findByStem(absolute, platform);
  if (there.isDirectory()) {
    const names = await folderScope(absolute).names();
    if (names.length === 0 || (isBare(names) && !evenBare))
      throw await noStates(absolute, platform);
    return inFolder(absolute, absolute, null);
  }
  if (!there.isFile())
    throw scopeErrors["workflow/not-a-workflow"](absolute, "is neither a file nor a folder");
  if (absolute.toLowerCase().endsWith(".zip")) return inZip(absolute, platform);
  if (isSingleFile(absolute)) return inSingleFile(absolute);
  if (extensionOf(absolute) === null) {
    throw scopeErrors["workflow/not-a-workflow"](
      absolute,
      "is not a state, a zip or a workflow in one file",
    );
  }
  const dir = path.dirname(absolute);
  const names = await folderScope(dir).names();
  const entry = resolveEntry(names, path.basename(absolute), platform);
  return inFolder(dir, absolute, entry);
}

/** Whether a folder has no states except a README: such a folder may contain workflows. */
export function isBare(names: readonly StateName[]): boolean {
  return names.every((name) => name === "README.md");
}

async function findByStem(absolute: string, platform: Platform): Promise<WorkflowSource> {
  const dir = path.dirname(absolute);
  const stem = path.basename(absolute);
  const folder = entryAt(dir);
  if (folder?.isDirectory() !== true) throw await notFound(absolute, platform);
  const names = await folderScope(dir).names();
  const isMeant = (name: StateName) => stemOf(name).normalize("NFC") === stem.normalize("NFC");
  if (!names.some(isMeant)) throw await notFound(absolute, platform);
  const entry = resolveEntry(names, stem, platform);
  return inFolder(dir, path.join(dir, entry), entry);
}

async function noStates(folder: string, platform: Platform): Promise<RaymondError> {
  const [near] = nearStatesIn(folder);
  if (near !== undefined) {
    const { message, hint } = describeLookalike(near);
    return scopeErrors["workflow/not-a-workflow"](folder, "has no states", `${message} ${hint}`);
  }
  const hint = nextHint(folder, await findWorkflowsIn(folder, platform));
  return scopeErrors["workflow/not-a-workflow"](folder, "has no states", hint);
}

async function inFolder(
  dir: string,
  named: string,
  entry: StateName | null,
): Promise<WorkflowSource> {
  const scope = folderScope(dir);
  return {
    kind: "folder",
    path: named,
    home: dir,
    sha256: null,
    names: await scope.names(),
    schemas: await scope.schemas(),
    entry,
    manifest: () => manifestIn(dir),
    manifestPath: path.join(dir, MANIFEST_NAME),
    pathOf: (name) => path.join(dir, name),
    load: (name) => scope.load(name),
    schema: (name) => scope.schema(name),
    read: (file) => Promise.resolve(readTextWithin(dir, file)),
    write: (file, text) => writeFile(file, text),
    place: () => Promise.resolve(dir),
  };
}

async function inZip(file: string, platform: Platform): Promise<WorkflowSource> {
  const archive = await readArchive(file, platform);
  const compiled = new SchemaCache();
  const pathOf = (name: string) => path.join(file, archive.prefix + name);
  return {
    kind: "zip",
    path: file,
    home: file,
    sha256: archive.sha256,
    names: archive.names,
    schemas: archivedSchemas(archive),
    entry: null,
    manifestPath: pathOf(MANIFEST_NAME),
    manifest: async () => {
      const text = readArchivedText(archive, MANIFEST_NAME);
      return Promise.resolve(
        text === null ? NO_MANIFEST : parseManifest(text, pathOf(MANIFEST_NAME)),
      );
    },
    pathOf,
    load: async (name) =>
      Promise.resolve(parseStateFile(name, readArchivedState(archive, name), pathOf(name))),
    schema: async (name) => compiled.get(name, readArchivedSchema(archive, name), pathOf(name)),
    read: (each) => {
      const name = path.relative(file, each).split(path.sep).join("/");
      return Promise.resolve(readArchivedText(archive, name.slice(archive.prefix.length)));
    },
    write: null,
    place: ({ archive: places }) => placeArchive(archive, places),
  };
}

async function inSingleFile(file: string): Promise<WorkflowSource> {
  const read = await readSingleFile(file);
  const { single } = read;
  const compiled = new SchemaCache();
  const names = [...single.states.keys()];
  return {
    kind: "yaml",
    path: file,
    home: file,
    sha256: createHash("sha256").update(read.text).digest("hex"),
    names,
    schemas: [...single.schemas.keys()],
    entry: null,
    manifest: () => Promise.resolve(single.manifest),
    manifestPath: file,
    pathOf: () => file,
    load: async (name) => Promise.resolve(stateOf(single, name, file)),
    schema: async (name) => schemaOf(single, name, file, compiled),
    read: () => Promise.resolve(read.text),
    write: (each, text) => writeFile(each, text),
    place: ({ archive: places }) => placeSingleFile(read, places),
  };
}

/** The manifest of a folder, which is optional. */
export async function manifestIn(dir: string): Promise<Manifest> {
  const file = path.join(dir, MANIFEST_NAME);
  return entryAt(file)?.isFile() === true ? readManifestFile(file) : NO_MANIFEST;
}

async function placeArchive(
  archive: Archive,
  { packed, unpacked }: Artifacts["archive"],
): Promise<string> {
  try {
    await mkdir(path.dirname(packed), { recursive: true, mode: 0o700 });
    await rm(packed, { force: true });
    await writeDurably(packed, archive.bytes, 0o600);
    return await unpackArchive(archive, unpacked);
  } catch (error) {
    throw scopeErrors["workflow/unpack-failed"](archive.path, path.dirname(unpacked), error);
  }
}

/** Suggests similar names in the last existing folder of the path. */
async function notFound(absolute: string, platform: Platform): Promise<RaymondError> {
  let folder = path.dirname(absolute);
  let missing = path.basename(absolute);
  while (entryAt(folder)?.isDirectory() !== true && folder !== path.dirname(folder)) {
    missing = path.basename(folder);
    folder = path.dirname(folder);
  }
  const onTheWay = folder !== path.dirname(absolute);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries
    .filter(
      (entry) =>
        (onTheWay && entry.isDirectory()) || /\.(?:md|sh|bat|ps1|zip|ya?ml)$/.test(entry.name),
    )
    .map((entry) => entry.name)
    .filter((name) => !name.startsWith("."));
  const workflows = await findWorkflowsIn(folder, platform);
  return scopeErrors["workflow/not-found"](
    absolute,
    folder,
    missing,
    [...workflows, ...names.sort()],
    nextHint(folder, workflows),
  );
}

/** Null if the path does not exist or is not accessible. */
function entryAt(place: string): Stats | null {
  try {
    return statSync(place);
  } catch {
    return null;
  }
}
