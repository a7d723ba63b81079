import { createHash } from "node:crypto";
import { type Stats, statSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Artifacts } from "../engine/ports/artifacts.ts";
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
import type { JsonSchema } from "../language/workflow/named-schemas.ts";
import type { WorkflowKind } from "../machine/model/run-state.ts";
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
import { folderScope, readTextWithin } from "./folder.ts";
import { SchemaCache } from "./schemas/schema-cache.ts";
import {
  placeSingleFile,
  readManifestFile,
  readSingleFile,
  schemaOf,
  stateOf,
} from "./single-file.ts";

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

export async function inFolder(
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

export async function inZip(file: string, platform: Platform): Promise<WorkflowSource> {
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

export async function inSingleFile(file: string): Promise<WorkflowSource> {
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

/** Null if the path does not exist or is not accessible. */
export function entryAt(place: string): Stats | null {
  try {
    return statSync(place);
  } catch {
    return null;
  }
}
