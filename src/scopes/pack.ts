import { createHash } from "node:crypto";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { type Zippable, zipSync } from "fflate";
import { readRegularFile } from "../files/read-file.ts";
import { MANIFEST_NAME } from "../language/workflow/files/manifest.ts";
import type { Platform } from "../language/workflow/files/platform.ts";
import { writeDurably } from "./durable.ts";
import { scopeErrors } from "./errors.ts";
import { folderScope } from "./folder.ts";
import { hashInName, nameWithHash } from "./hash-name.ts";
import { isBare } from "./open.ts";
import { readManifestFile } from "./single-file.ts";
import type { ZipEntry } from "./zip-entries.ts";
import { checkZip, isIgnored, REGULAR } from "./zip-rules.ts";

/** A packed workflow, before it is written. */
export interface Packed {
  /** The packed folder, with links resolved. */
  readonly folder: string;
  readonly bytes: Buffer;
  /** Of the bytes, in lower-case hex. */
  readonly sha256: string;
  /** Paths in the zip, with `/`, sorted. */
  readonly files: readonly string[];
  /** Top-level names that are not in the zip: hidden and excluded files. */
  readonly leftOut: readonly string[];
}

interface Source {
  readonly name: string;
  /** Absolute, with links resolved. */
  readonly file: string;
  readonly size: number;
  readonly mode: number;
}

/**
 * Packs a workflow folder reproducibly: the zip depends only on names, contents and executable
 * bits. Entries are sorted, without times and without compression, which differs between zlib
 * versions. Contains all files that are not hidden, except those that `isLeftOut` selects. Rejects
 * with a RaymondError for a zip that a run would refuse.
 */
export async function packFolder(
  folder: string,
  platform: Platform,
  isLeftOut: (name: string) => boolean = () => false,
): Promise<Packed> {
  const dir = await folderOf(folder);
  const all = await sourcesIn(dir, "");
  const sources = all
    .filter(({ name }) => !isLeftOut(name))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const judged = checkZip(sources.map(asEntry), platform);
  if ("problem" in judged)
    throw scopeErrors["workflow/not-packed"](dir, judged.problem, judged.hint);
  const entries: Zippable = {};
  for (const { name, file, size, mode } of sources) {
    entries[name] = [await readRegularFile(file, size), { os: UNIX, attrs: mode << 16 }];
  }
  const bytes = Buffer.from(zipSync(entries, { level: 0, mtime: NO_TIME }));
  const files = sources.map(({ name }) => name);
  const leftOut = (await readdir(dir)).filter((name) => isIgnored(name) || isLeftOut(name)).sort();
  return { folder: dir, bytes, sha256: sha256Of(bytes), files, leftOut };
}

/**
 * Writes the zip to this file, or into this folder under a name with its hash. Resolves with its
 * path. Does nothing if the same zip exists there. Rejects with `workflow/pack-target`.
 */
export async function writePacked(packed: Packed, place: string): Promise<string> {
  const { folder, bytes, sha256 } = packed;
  const isFolder = (await stat(place).catch(() => null))?.isDirectory() === true;
  const file = isFolder ? path.join(place, nameWithHash(path.basename(folder), sha256)) : place;
  const promised = hashInName(file);
  if (promised !== null && promised !== sha256) {
    throw scopeErrors["workflow/pack-target"](file, `contains a hash other than ${sha256}`);
  }
  const around = await realpath(path.dirname(file)).catch(() => null);
  if (around === null)
    throw scopeErrors["workflow/pack-target"](file, "is in a folder that does not exist");
  if (`${around}${path.sep}`.startsWith(folder + path.sep)) {
    throw scopeErrors["workflow/pack-target"](file, "is inside the packed folder");
  }
  const there = await lstat(file).catch(() => null);
  if (there === null) await writeDurably(file, bytes, 0o600);
  else if (!(await isThisZip(file, packed)))
    throw scopeErrors["workflow/pack-target"](file, "already exists");
  return file;
}

/** Only reads a regular file of the same size: a device may be endless. */
async function isThisZip(file: string, { bytes, sha256 }: Packed): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true || found.size !== bytes.length) return false;
  const there = await readRegularFile(file, bytes.length).catch(() => null);
  return there !== null && sha256Of(there) === sha256;
}

const USAGE = "Pass the folder of a workflow.";
const UNIX = 3;
/** Zips contain local times without a zone: this one is the same everywhere. */
const NO_TIME = new Date(1980, 0, 1, 12);

/** The real path of the folder, after checking that its states and manifest are valid. */
async function folderOf(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => null);
  if (found === null) {
    const [around, wanted] = [path.dirname(folder), path.basename(folder)];
    throw scopeErrors["workflow/not-found"](folder, around, wanted, [], USAGE);
  }
  if (!found.isDirectory())
    throw scopeErrors["workflow/not-a-workflow"](folder, "is not a folder", USAGE);
  const scope = folderScope(folder);
  const names = await scope.names();
  if (isBare(names)) throw scopeErrors["workflow/not-a-workflow"](folder, "has no states");
  for (const name of names) await scope.load(name);
  const manifest = path.join(folder, MANIFEST_NAME);
  if ((await stat(manifest).catch(() => null)) !== null) await readManifestFile(manifest);
  return realpath(folder);
}

async function sourcesIn(root: string, prefix: string): Promise<readonly Source[]> {
  const entries = await readdir(path.join(root, prefix), { withFileTypes: true });
  const sources = entries
    .filter(({ name }) => !isIgnored(prefix + name))
    .map(async (entry) => {
      const name = prefix + entry.name;
      return entry.isDirectory() ? sourcesIn(root, `${name}/`) : [await sourceOf(root, name)];
    });
  return (await Promise.all(sources)).flat();
}

/** A link is packed as its target, if that is in the folder. */
async function sourceOf(root: string, name: string): Promise<Source> {
  const file = await realpath(path.join(root, name)).catch(() => null);
  if (file?.startsWith(root + path.sep) !== true) {
    throw scopeErrors["workflow/not-packed"](
      root,
      `contains the link ${name}, whose target is not a file in the folder`,
      COPY,
    );
  }
  const found = await stat(file);
  if (!found.isFile())
    throw scopeErrors["workflow/not-packed"](
      root,
      `contains ${name}, which is not a regular file`,
      COPY,
    );
  const mode = (found.mode & 0o111) === 0 ? 0o644 : 0o755;
  return { name, file, size: found.size, mode: REGULAR | mode };
}

const COPY = "Replace it with a copy of the file, or remove it.";

/** The future directory entry, to find problems before reading any file. */
function asEntry({ name, size, mode }: Source): ZipEntry {
  return {
    ...{ name, size, mode, isFolder: false, encrypted: false, method: 0, crc: 0 },
    packed: { header: 0, size },
  };
}

function sha256Of(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
