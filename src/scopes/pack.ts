import { createHash } from "node:crypto";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { type Zippable, zipSync } from "fflate";
import { MANIFEST_NAME } from "../core/workflow/manifest.ts";
import type { Platform } from "../core/workflow/platform.ts";
import { readRegularFile } from "../files/read-file.ts";
import { writeDurably } from "./durable.ts";
import { NotAWorkflowError, PackError, PackTargetError, WorkflowNotFoundError } from "./errors.ts";
import { folderScope } from "./folder.ts";
import { nameWithHash, promisedHash } from "./hash-name.ts";
import { isBare } from "./open.ts";
import { readManifestFile } from "./single-file.ts";
import type { ZipEntry } from "./zip-entries.ts";
import { isIgnored, judgeZip, REGULAR } from "./zip-rules.ts";

/** A workflow as a zip, before it is written. */
export interface Packed {
  /** The folder that it was made of, links resolved. */
  readonly folder: string;
  readonly bytes: Buffer;
  /** Of the bytes, in lower-case hex. */
  readonly sha256: string;
  /** What is in it, by paths with `/`, sorted. */
  readonly files: readonly string[];
  /** What is at the top of the folder and not in the zip: hidden files, and what was left out. */
  readonly leftOut: readonly string[];
}

/** A file that goes into the zip. */
interface Source {
  readonly name: string;
  /** Where it lies, links resolved. */
  readonly file: string;
  readonly size: number;
  readonly mode: number;
}

/**
 * The folder of a workflow as a zip that depends on nothing but its names,
 * their contents and which of them may be executed: sorted, without times and
 * without compression, which differs between versions of zlib. All that is not
 * hidden is carried, whatever the scripts need, unless `isLeftOut` says so of a path. Rejects with a RaymondError for
 * what a run of the zip would refuse.
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
  const judged = judgeZip(sources.map(asEntry), platform);
  if ("problem" in judged) throw new PackError(dir, judged.problem, judged.hint);
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
 * Writes the zip into this folder, by a name that promises its hash, or to this
 * file. Resolves with its path; where the very same lies there already, nothing
 * is done. Rejects with a {@link PackTargetError}.
 */
export async function writePacked(packed: Packed, place: string): Promise<string> {
  const { folder, bytes, sha256 } = packed;
  const isFolder = (await stat(place).catch(() => null))?.isDirectory() === true;
  const file = isFolder ? path.join(place, nameWithHash(path.basename(folder), sha256)) : place;
  const promised = promisedHash(file);
  if (promised !== null && promised !== sha256) {
    throw new PackTargetError(file, `would promise another hash than ${sha256}`);
  }
  const around = await realpath(path.dirname(file)).catch(() => null);
  if (around === null) throw new PackTargetError(file, "is in a folder that is not there");
  if (`${around}${path.sep}`.startsWith(folder + path.sep)) {
    throw new PackTargetError(file, "would lie in the folder that is packed");
  }
  const there = await lstat(file).catch(() => null);
  if (there === null) await writeDurably(file, bytes, 0o600);
  else if (!(await isThisZip(file, packed))) throw new PackTargetError(file, "is there already");
  return file;
}

/** Reads nothing that has not the zip's size: a device may have no end, and what cannot be read is another's. */
async function isThisZip(file: string, { bytes, sha256 }: Packed): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  if (found?.isFile() !== true || found.size !== bytes.length) return false;
  const there = await readRegularFile(file, bytes.length).catch(() => null);
  return there !== null && sha256Of(there) === sha256;
}

const TAKEN = "What is packed is the folder of a workflow.";
const UNIX = 3;
/** A zip holds local times, and does not say of which zone: this one is written alike everywhere. */
const NO_TIME = new Date(1980, 0, 1, 12);

/** The folder by its real path. Its states and what it says of itself must be such that it could be run. */
async function folderOf(folder: string): Promise<string> {
  const found = await stat(folder).catch(() => null);
  if (found === null) {
    const [around, wanted] = [path.dirname(folder), path.basename(folder)];
    throw new WorkflowNotFoundError(folder, around, wanted, [], { otherwise: TAKEN });
  }
  if (!found.isDirectory()) throw new NotAWorkflowError(folder, "is no folder", TAKEN);
  const scope = folderScope(folder);
  const names = await scope.names();
  if (isBare(names)) throw new NotAWorkflowError(folder, "has no states");
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

/** A link is packed as the file that it leads to, where that lies in the folder. */
async function sourceOf(root: string, name: string): Promise<Source> {
  const file = await realpath(path.join(root, name)).catch(() => null);
  if (file?.startsWith(root + path.sep) !== true) {
    throw new PackError(root, `has the link ${name}, which leads to no file in it`, COPY);
  }
  const found = await stat(file);
  if (!found.isFile()) throw new PackError(root, `has ${name}, which is no plain file`, COPY);
  const mode = (found.mode & 0o111) === 0 ? 0o644 : 0o755;
  return { name, file, size: found.size, mode: REGULAR | mode };
}

const COPY = "Put a copy of the file into the folder, in its place, or take it away.";

/** As the list of the zip will have it, so that what is wrong is known before anything is read. */
function asEntry({ name, size, mode }: Source): ZipEntry {
  return {
    ...{ name, size, mode, isFolder: false, encrypted: false, method: 0, crc: 0 },
    packed: { header: 0, size },
  };
}

function sha256Of(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
