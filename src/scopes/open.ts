import { createHash } from "node:crypto";
import { type Stats, statSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type { WorkflowKind } from "../core/machine/run-state.ts";
import type { StateName } from "../core/protocol/transition.ts";
import { findEntry, resolveEntry } from "../core/workflow/entry.ts";
import {
  MANIFEST_NAME,
  type Manifest,
  NO_MANIFEST,
  parseManifest,
} from "../core/workflow/manifest.ts";
import { describeNearState } from "../core/workflow/near-state.ts";
import { parseStateFile } from "../core/workflow/parse-state-file.ts";
import type { Platform } from "../core/workflow/platform.ts";
import type { StateFile } from "../core/workflow/state-file.ts";
import { extensionOf, stemOf } from "../core/workflow/state-name.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import {
  type Archive,
  readArchive,
  readArchivedState,
  readArchivedText,
  unpackArchive,
} from "./archive.ts";
import { writeDurably } from "./durable.ts";
import { NotAWorkflowError, TwoStartsError, UnpackError, WorkflowNotFoundError } from "./errors.ts";
import { folderScope, nearStatesIn, readTextWithin } from "./folder.ts";
import { nextHint, workflowsNear } from "./nearby.ts";
import {
  isSingleFile,
  placeSingleFile,
  readManifestFile,
  readSingleFile,
  stateOf,
} from "./single-file.ts";

/** A workflow that was found, before there is a run of it. */
export interface Located extends Found {
  /** The state to start with. */
  readonly entry: StateName;
}

/** A workflow that was found, whether or not it has a state to start with. */
export interface Found {
  /** A state file that was named belongs to its folder. */
  readonly kind: WorkflowKind;
  /** What the user named, absolute and with its extension. */
  readonly path: string;
  /** The folder that holds its states, or the zip or the one file that does. */
  readonly home: string;
  /** Of a zip or a workflow in one file, in lower-case hex; null of a folder. */
  readonly sha256: string | null;
  readonly names: readonly StateName[];
  /** The state that was named; null where all of the workflow was. */
  readonly entry: StateName | null;
  /** What the workflow says of itself. Rejects with a RaymondError. */
  readonly manifest: () => Promise<Manifest>;
  /** The file that says so, for messages. */
  readonly manifestPath: string;
  /** What messages call the file of a state: its path, that of the zip and its place in it, or that of the one file. */
  readonly pathOf: (name: StateName) => string;
  /** A state as its author wrote it. Rejects with a RaymondError. */
  readonly load: (name: StateName) => Promise<StateFile>;
  /** The text of a file that `pathOf` or `manifestPath` names; null where it cannot be read, or is no UTF-8. */
  readonly read: (file: string) => Promise<string | null>;
  /** Writes such a file anew; null where none can be written, in a zip. */
  readonly write: ((file: string, text: string) => Promise<void>) | null;
  /** The folder that holds the states for a run with these artifacts: of a zip and of a single file a copy is put there. */
  readonly place: (artifacts: Pick<Artifacts, "archive">) => Promise<string>;
}

/**
 * What a user has named as a workflow (docs/authoring.md, "Names and files"): a
 * folder, a zip, a workflow in one file, or a state file, whose extension may be left out; `start` is
 * another state of a folder or zip to begin at than its entry. Rejects with
 * RaymondErrors: a {@link WorkflowNotFoundError}, a {@link NotAWorkflowError}, a
 * {@link TwoStartsError}, those of the entry (`core/workflow/errors.ts`) and of
 * zips.
 */
export async function locateWorkflow(
  wanted: string,
  platform: Platform,
  start: string | null = null,
): Promise<Located> {
  const found = await findWorkflow(wanted, platform, start !== null);
  if (found.entry !== null) {
    // A state that was named begins with itself.
    if (start !== null) throw new TwoStartsError(found.path, start, path.dirname(found.path));
    return { ...found, entry: found.entry };
  }
  const entry =
    start === null
      ? findEntry(found.names, platform, found.path)
      : resolveEntry(found.names, start, platform);
  return { ...found, entry };
}

/**
 * The same before it is known where it starts. A folder with no more than a
 * README is none, but where somebody says so.
 */
export async function findWorkflow(
  wanted: string,
  platform: Platform,
  evenBare = false,
): Promise<Found> {
  const absolute = path.resolve(wanted);
  const there = entryAt(wanted);
  if (there === null) return findByStem(absolute, platform);
  if (there.isDirectory()) {
    const names = await folderScope(absolute).names();
    if (names.length === 0 || (isBare(names) && !evenBare))
      throw await noStates(absolute, platform);
    return inFolder(absolute, absolute, names, null);
  }
  if (!there.isFile()) throw new NotAWorkflowError(absolute, "is neither a file nor a folder");
  if (absolute.toLowerCase().endsWith(".zip")) return inZip(absolute, platform);
  if (isSingleFile(absolute)) return inSingleFile(absolute);
  if (extensionOf(absolute) === null) {
    throw new NotAWorkflowError(
      absolute,
      "is neither a state nor a zip, nor a workflow in one file",
    );
  }
  const dir = path.dirname(absolute);
  const names = await folderScope(dir).names();
  const entry = resolveEntry(names, path.basename(absolute), platform);
  return inFolder(dir, absolute, names, entry);
}

/** Whether these are no states of a workflow: a folder with no more than a README may hold workflows, as `workflows` does. */
export function isBare(names: readonly StateName[]): boolean {
  return names.every((name) => name === "README.md");
}

async function findByStem(absolute: string, platform: Platform): Promise<Found> {
  const dir = path.dirname(absolute);
  const stem = path.basename(absolute);
  const folder = entryAt(dir);
  if (folder?.isDirectory() !== true) throw await notFound(absolute, platform);
  const names = await folderScope(dir).names();
  const isMeant = (name: StateName) => stemOf(name).normalize("NFC") === stem.normalize("NFC");
  if (!names.some(isMeant)) throw await notFound(absolute, platform);
  const entry = resolveEntry(names, stem, platform);
  return inFolder(dir, path.join(dir, entry), names, entry);
}

async function noStates(folder: string, platform: Platform): Promise<NotAWorkflowError> {
  const [near] = nearStatesIn(folder);
  if (near !== undefined) {
    const { message, hint } = describeNearState(near);
    return new NotAWorkflowError(folder, "has no states", `${message} ${hint}`);
  }
  const hint = nextHint(folder, await workflowsNear(folder, platform));
  return new NotAWorkflowError(folder, "has no states", hint);
}

function inFolder(
  dir: string,
  named: string,
  names: readonly StateName[],
  entry: StateName | null,
): Found {
  const scope = folderScope(dir);
  return {
    kind: "folder",
    path: named,
    home: dir,
    sha256: null,
    names,
    entry,
    manifest: () => manifestIn(dir),
    manifestPath: path.join(dir, MANIFEST_NAME),
    pathOf: (name) => path.join(dir, name),
    load: (name) => scope.load(name),
    read: (file) => Promise.resolve(readTextWithin(dir, file)),
    write: (file, text) => writeFile(file, text),
    place: () => Promise.resolve(dir),
  };
}

async function inZip(file: string, platform: Platform): Promise<Found> {
  const archive = await readArchive(file, platform);
  const pathOf = (name: StateName) => path.join(file, archive.prefix + name);
  return {
    kind: "zip",
    path: file,
    home: file,
    sha256: archive.sha256,
    names: archive.names,
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
    read: (each) => {
      const name = path.relative(file, each).split(path.sep).join("/");
      return Promise.resolve(readArchivedText(archive, name.slice(archive.prefix.length)));
    },
    write: null,
    place: ({ archive: places }) => placeArchive(archive, places),
  };
}

async function inSingleFile(file: string): Promise<Found> {
  const read = await readSingleFile(file);
  const { single } = read;
  const names = [...single.states.keys()];
  return {
    kind: "yaml",
    path: file,
    home: file,
    sha256: createHash("sha256").update(read.text).digest("hex"),
    names,
    entry: null,
    manifest: () => Promise.resolve(single.manifest),
    manifestPath: file,
    pathOf: () => file,
    load: async (name) => Promise.resolve(stateOf(single, name, file)),
    read: () => Promise.resolve(read.text),
    write: (each, text) => writeFile(each, text),
    place: ({ archive: places }) => placeSingleFile(read, places),
  };
}

/** What the folder says of its workflow, in a file that need not be there. */
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
    throw new UnpackError(archive.path, path.dirname(unpacked), error);
  }
}

/** Looks for what was meant in the last folder on the way that exists. */
async function notFound(absolute: string, platform: Platform): Promise<WorkflowNotFoundError> {
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
  const workflows = await workflowsNear(folder, platform);
  return new WorkflowNotFoundError(absolute, folder, missing, [...workflows, ...names.sort()], {
    otherwise: nextHint(folder, workflows),
  });
}

/** Null when nothing is there, or nothing that we may see. */
function entryAt(place: string): Stats | null {
  try {
    return statSync(place);
  } catch {
    return null;
  }
}
