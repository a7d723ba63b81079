import { createHash } from "node:crypto";
import { mkdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { StateName } from "../core/protocol/transition.ts";
import type { Platform } from "../core/workflow/platform.ts";
import { readRegularFile } from "../files/read-file.ts";
import { syncFolder, writeDurably } from "./durable.ts";
import { BadArchiveError, MissingStateError, reasonOf } from "./errors.ts";
import { promisedHash } from "./hash-name.ts";
import { decodeState } from "./state-text.ts";
import { LEAVE_OUT, readZipEntries, unpackEntry, type ZipEntry } from "./zip-entries.ts";
import { judgeZip, MAX_ENTRIES, MAX_UNPACKED_BYTES } from "./zip-rules.ts";

/** A zip that was read and found good: unpacking it cannot fail but for the disk. */
export interface Archive {
  /** Absolute path of the file that was read. */
  readonly path: string;
  /** The states, sorted. */
  readonly names: readonly StateName[];
  /** The folder in the zip that holds them: empty, or a name and `/`. */
  readonly prefix: string;
  /** Of the file, in lower-case hex. */
  readonly sha256: string;
  /** The file. */
  readonly bytes: Buffer;
  readonly entries: readonly ZipEntry[];
}

/** Packed files that hold little that can be unpacked: still more than any zip within the limits needs. */
export const MAX_PACKED_BYTES = MAX_UNPACKED_BYTES + 16 * 1024 * 1024;

/**
 * Reads a zip and checks all of it for this platform: its list of contents first,
 * then that every entry unpacks to what the list says. Nothing is written.
 * Rejects with a {@link BadArchiveError}.
 */
export async function readArchive(file: string, platform: Platform): Promise<Archive> {
  const absolute = path.resolve(file);
  const bytes = await readBytes(absolute);
  if (bytes.length === 0) {
    throw new BadArchiveError(absolute, "is an empty file", "Copy or fetch it again.");
  }
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  refuseWrongHash(absolute, sha256);

  const listed = readZipEntries(bytes, MAX_ENTRIES);
  if ("problem" in listed) throw new BadArchiveError(absolute, listed.problem, listed.hint);
  const contents = judgeZip(listed, platform);
  if ("problem" in contents) {
    throw new BadArchiveError(absolute, contents.problem, contents.hint);
  }
  const archive = { path: absolute, sha256, bytes, ...contents };
  for (const entry of contents.entries) unpackOrThrow(archive, entry);
  return archive;
}

/** The text of a state in the zip. Throws a {@link MissingStateError} where there is none. */
export function readArchivedState(archive: Archive, name: StateName): string {
  const entry = archive.entries.find((each) => each.name === archive.prefix + name);
  if (entry === undefined || !archive.names.includes(name)) {
    throw new MissingStateError(name, archive.path, archive.names);
  }
  return decodeState(unpackOrThrow(archive, entry), path.join(archive.path, entry.name));
}

/** The text of a file that lies beside the states in the zip; null where there is none. */
export function readArchivedText(archive: Archive, name: string): string | null {
  const entry = archive.entries.find((each) => each.name === archive.prefix + name);
  return entry === undefined ? null : new TextDecoder().decode(unpackOrThrow(archive, entry));
}

/**
 * Unpacks the zip so that `dir` is exactly its contents, whole and on disk when
 * this resolves; resolves with the folder in it that holds the states. Files
 * and folders are for the owner only; files that may be executed may be still.
 */
export async function unpackArchive(archive: Archive, dir: string): Promise<string> {
  const partial = `${dir}.partial`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true, mode: 0o700 });
  const folders = new Set([partial]);
  for (const entry of archive.entries) {
    const target = path.join(partial, entry.name);
    const folder = entry.isFolder ? target : path.dirname(target);
    folders.add(folder);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (entry.isFolder) continue;
    const mode = (entry.mode & 0o111) === 0 ? 0o600 : 0o700;
    await writeDurably(target, unpackOrThrow(archive, entry), mode);
  }
  for (const folder of folders) await syncFolder(folder);
  // What lies there is of a start that was cut off before its run was saved.
  await rm(dir, { recursive: true, force: true });
  await rename(partial, dir);
  await syncFolder(path.dirname(dir));
  return path.resolve(dir, archive.prefix);
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    const { size } = await stat(file);
    if (size > MAX_PACKED_BYTES) {
      const mib = Math.ceil(size / (1024 * 1024)).toLocaleString("en");
      const problem = `has ${mib} MiB, more than a workflow may unpack to`;
      throw new BadArchiveError(file, problem, LEAVE_OUT);
    }
    return await readRegularFile(file, MAX_PACKED_BYTES);
  } catch (error) {
    if (error instanceof BadArchiveError) throw error;
    throw new BadArchiveError(
      file,
      `cannot be read (${reasonOf(error)})`,
      "See to it that the file is there and that you may read it.",
    );
  }
}

function refuseWrongHash(file: string, sha256: string): void {
  const promised = promisedHash(file);
  if (promised === null || promised === sha256) return;
  throw new BadArchiveError(
    file,
    `has the SHA-256 ${sha256}, and its name promises another`,
    "It was changed or damaged since it was named: fetch it again, or rename it.",
  );
}

function unpackOrThrow(archive: Pick<Archive, "path" | "bytes">, entry: ZipEntry): Buffer {
  const unpacked = unpackEntry(archive.bytes, entry);
  if ("problem" in unpacked) {
    throw new BadArchiveError(archive.path, unpacked.problem, unpacked.hint);
  }
  return unpacked;
}
