import { extensionOf } from "../core/workflow/state-name.ts";
import { tooMany, type ZipEntry } from "./zip-entries.ts";

export const MAX_ENTRIES = 2_000;
export const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

const MIB = 1024 * 1024;
const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
const FOLDER = 0o040000;
const LINK = 0o120000;

/** What of a zip is used, and where its states lie. */
export interface ZipContents {
  /** Files and folders, without what is ignored. */
  readonly entries: readonly ZipEntry[];
  /** The folder that holds the states: empty, or a name and `/`. */
  readonly prefix: string;
  /** The states, by their names in that folder, sorted. */
  readonly names: readonly string[];
}

/**
 * Applies spec 1.3 to the list of contents of a zip: what is used, or why it is
 * refused, as the end of the sentence "it …".
 */
export function judgeZip(all: readonly ZipEntry[]): ZipContents | { readonly problem: string } {
  if (all.length === 0) return { problem: "is empty" };
  if (all.length > MAX_ENTRIES) return tooMany(all.length, MAX_ENTRIES);
  const bytes = all.reduce((sum, { size }) => sum + size, 0);
  if (bytes > MAX_UNPACKED_BYTES) {
    const size = Math.ceil(bytes / MIB).toLocaleString("en");
    return { problem: `unpacks to ${size} MiB, and 64 MiB are allowed` };
  }
  for (const { name } of all) {
    const problem = nameProblem(name);
    if (problem !== null) return { problem: `has the entry ${JSON.stringify(name)}, ${problem}` };
  }
  const entries = all.filter(({ name }) => !isIgnored(name));
  for (const entry of entries) {
    const problem = entryProblem(entry);
    if (problem !== null) return { problem: `has the entry ${entry.name}, ${problem}` };
  }
  const twice = givenTwice(entries);
  if (twice !== null) return { problem: `has two entries for ${twice}` };
  return (
    withStates(entries) ?? {
      problem: "holds no states, neither at its top nor in its one top folder",
    }
  );
}

function nameProblem(name: string): string | null {
  if (name.includes("\\")) return "and names with \\ mean different places on different systems";
  if (name.includes("\0")) return "which has a NUL character in its name";
  if (name.startsWith("/") || /^[A-Za-z]:/.test(name)) return "which is an absolute path";
  const parts = name.replace(/\/$/, "").split("/");
  if (parts.includes("..")) return "which leads out of the zip";
  if (parts.includes(".") || parts.includes("")) return "which is not a plain path";
  if (parts.some((part) => Buffer.byteLength(part) > 255))
    return "whose name is too long for a file";
  return null;
}

/** What Macs and editors add, and what is hidden: it is not unpacked. */
function isIgnored(name: string): boolean {
  const parts = name.split("/");
  return parts[0] === "__MACOSX" || parts.some((part) => part.startsWith("."));
}

function entryProblem({ encrypted, isFolder, method, mode }: ZipEntry): string | null {
  if (encrypted) return "which is encrypted";
  const type = mode & FILE_TYPE;
  if (type === LINK) return "which is a symbolic link";
  if (type !== 0 && type !== (isFolder ? FOLDER : REGULAR)) return "which is no plain file";
  if (method !== 0 && method !== 8) {
    return `which is packed by a method (${String(method)}) that cannot be read here`;
  }
  return null;
}

/** Names that would be one file on some disk, or both a file and a folder. */
function givenTwice(entries: readonly ZipEntry[]): string | null {
  const seen = new Set<string>();
  const folders = new Set<string>();
  for (const { name } of entries) {
    const plain = name.replace(/\/$/, "").normalize("NFC");
    if (seen.has(plain)) return plain;
    seen.add(plain);
    const parts = plain.split("/");
    for (let depth = 1; depth < parts.length; depth += 1) {
      folders.add(parts.slice(0, depth).join("/"));
    }
  }
  const files = entries.filter(({ isFolder }) => !isFolder);
  return files.find(({ name }) => folders.has(name.normalize("NFC")))?.name ?? null;
}

function withStates(entries: readonly ZipEntry[]): ZipContents | null {
  const atTop = statesIn(entries, "");
  if (atTop.length > 0) return { entries, prefix: "", names: atTop };
  const tops = new Set(
    entries.filter(({ name }) => name.includes("/")).map(({ name }) => name.split("/")[0] ?? ""),
  );
  const [top, other] = tops;
  if (top === undefined || other !== undefined) return null;
  const names = statesIn(entries, `${top}/`);
  return names.length === 0 ? null : { entries, prefix: `${top}/`, names };
}

function statesIn(entries: readonly ZipEntry[], prefix: string): readonly string[] {
  const names = entries
    .filter(({ isFolder, name }) => !isFolder && name.startsWith(prefix))
    .map(({ name }) => name.slice(prefix.length));
  return names.filter((name) => !name.includes("/") && extensionOf(name) !== null).sort();
}
