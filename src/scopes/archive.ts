import { createHash } from "node:crypto";
import { mkdir, stat } from "node:fs/promises";
import path from "node:path";
import { readRegularFile } from "../files/read-file.ts";
import { RaymondError } from "../language/basics/errors.ts";
import type { StateName } from "../language/protocol/transition.ts";
import type { Platform } from "../language/workflow/files/platform.ts";
import { isSchemaName } from "../language/workflow/policy/schema-name.ts";
import { replaceFolder, syncFolder, writeDurably } from "./durable.ts";
import { CHECK_FILE, reasonOf, scopeErrors } from "./errors.ts";
import { hashInName } from "./hash-name.ts";
import { decodeState, decodeUtf8 } from "./state-text.ts";
import {
  LEAVE_OUT,
  readZipEntries,
  unpackEntry,
  type ZipEntry,
  type ZipProblem,
} from "./zip-entries.ts";
import { checkZip, MAX_ENTRIES, MAX_UNPACKED_BYTES } from "./zip-rules.ts";

/** A zip that was read and checked: unpacking it fails only because of the disk. */
export interface Archive {
  /** Absolute. */
  readonly path: string;
  /** The states, sorted. */
  readonly names: readonly StateName[];
  /** The folder in the zip that contains the states: empty, or a name and `/`. */
  readonly prefix: string;
  /** Of the file, in lower-case hex. */
  readonly sha256: string;
  readonly bytes: Buffer;
  readonly entries: readonly ZipEntry[];
}

/** More than any valid zip needs, also with little compression. */
export const MAX_PACKED_BYTES = MAX_UNPACKED_BYTES + 16 * 1024 * 1024;

/**
 * Reads a zip and checks it for this platform: first its directory, then that every entry unpacks
 * to the declared size and checksum. Writes nothing. Rejects with `workflow/bad-archive`.
 */
export async function readArchive(file: string, platform: Platform): Promise<Archive> {
  const absolute = path.resolve(file);
  const bytes = await readBytes(absolute);
  if (bytes.length === 0) {
    throw archiveError(absolute, { problem: "is an empty file", hint: "Copy or fetch it again." });
  }
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  refuseWrongHash(absolute, sha256);

  const listed = readZipEntries(bytes, MAX_ENTRIES);
  if ("problem" in listed) throw archiveError(absolute, listed);
  const contents = checkZip(listed, platform);
  if ("problem" in contents) throw archiveError(absolute, contents);
  const archive = { path: absolute, sha256, bytes, ...contents };
  for (const entry of contents.entries) unpackOrThrow(archive, entry);
  return archive;
}

/** The text of a state in the zip. Throws `workflow/missing-state`. */
export function readArchivedState(archive: Archive, name: StateName): string {
  const entry = archive.entries.find((each) => each.name === archive.prefix + name);
  if (entry === undefined || !archive.names.includes(name)) {
    throw scopeErrors["workflow/missing-state"](name, archive.path, archive.names);
  }
  return decodeState(unpackOrThrow(archive, entry), path.join(archive.path, entry.name));
}

/** The names of the schemas in the zip, sorted. */
export function archivedSchemas({ entries, prefix }: Archive): readonly string[] {
  const names = entries
    .filter(({ isFolder, name }) => !isFolder && name.startsWith(prefix))
    .map(({ name }) => name.slice(prefix.length));
  return names.filter((name) => !name.includes("/") && isSchemaName(name)).sort();
}

/** The text of a schema in the zip. Throws `workflow/missing-schema` or `workflow/unreadable-state`. */
export function readArchivedSchema(archive: Archive, name: string): string {
  const names = archivedSchemas(archive);
  const file = archive.prefix + name;
  const entry = archive.entries.find((each) => each.name === file);
  if (entry === undefined || !names.includes(name)) {
    throw scopeErrors["workflow/missing-schema"](name, archive.path, names);
  }
  return decodeUtf8(unpackOrThrow(archive, entry), path.join(archive.path, file));
}

/** The text of a file next to the states in the zip; null for none. */
export function readArchivedText(archive: Archive, name: string): string | null {
  const entry = archive.entries.find((each) => each.name === archive.prefix + name);
  return entry === undefined ? null : new TextDecoder().decode(unpackOrThrow(archive, entry));
}

/**
 * Unpacks the zip so that `dir` contains exactly its files, durably. Resolves with the folder of
 * the states. Files and folders are private to the owner; executable files stay executable.
 */
export async function unpackArchive(archive: Archive, dir: string): Promise<string> {
  await replaceFolder(dir, async (partial) => {
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
  });
  return path.resolve(dir, archive.prefix);
}

async function readBytes(file: string): Promise<Buffer> {
  try {
    const { size } = await stat(file);
    if (size > MAX_PACKED_BYTES) {
      const mib = Math.ceil(size / (1024 * 1024)).toLocaleString("en");
      const problem = `is ${mib} MiB, larger than an unpacked workflow may be`;
      throw archiveError(file, { problem, hint: LEAVE_OUT });
    }
    return await readRegularFile(file, MAX_PACKED_BYTES);
  } catch (error) {
    if (error instanceof RaymondError) throw error;
    throw archiveError(file, { problem: `cannot be read (${reasonOf(error)})`, hint: CHECK_FILE });
  }
}

function refuseWrongHash(file: string, sha256: string): void {
  const promised = hashInName(file);
  if (promised === null || promised === sha256) return;
  const problem = `has the SHA-256 ${sha256}, but its name contains another one`;
  const hint = "The file was changed or damaged. Fetch it again, or rename it.";
  throw archiveError(file, { problem, hint });
}

function unpackOrThrow(archive: Pick<Archive, "path" | "bytes">, entry: ZipEntry): Buffer {
  const unpacked = unpackEntry(archive.bytes, entry);
  if ("problem" in unpacked) throw archiveError(archive.path, unpacked);
  return unpacked;
}

function archiveError(file: string, { problem, hint }: ZipProblem): RaymondError {
  return scopeErrors["workflow/bad-archive"](file, problem, hint);
}
