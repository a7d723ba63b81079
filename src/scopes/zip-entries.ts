import { crc32, inflateRawSync } from "node:zlib";

/** An entry of a zip, from its central directory. */
export interface ZipEntry {
  /** With `/`; a folder's name ends in one. */
  readonly name: string;
  readonly isFolder: boolean;
  /** Unpacked, in bytes. */
  readonly size: number;
  /** Unix file type and permissions; 0 if missing. */
  readonly mode: number;
  readonly encrypted: boolean;
  /** 0 stored, 8 deflated; others are not supported. */
  readonly method: number;
  readonly crc: number;
  readonly packed: { readonly header: number; readonly size: number };
}

export interface ZipProblem {
  /** A clause that follows "it". */
  readonly problem: string;
  readonly hint: string;
}

const END = { signature: 0x06054b50, size: 22 };
const CENTRAL = { signature: 0x02014b50, size: 46 };
const LOCAL = { signature: 0x04034b50, size: 30 };
const LONGEST_COMMENT = 0xffff;

/**
 * Reads the central directory of a zip without unpacking. A library would hide what must be refused
 * (docs/untrusted-input.md, "Untrusted workflows"): encryption, special file types, duplicate names and
 * sizes.
 */
export function readZipEntries(zip: Buffer, maxEntries: number): readonly ZipEntry[] | ZipProblem {
  const end = findEnd(zip);
  if (end === null) return { problem: "is not a zip, or is truncated", hint: FETCH };
  const count = zip.readUInt16LE(end + 10);
  const start = zip.readUInt32LE(end + 16);
  if (zip.readUInt16LE(end + 4) !== 0) {
    return { problem: "is one part of a multi-part zip", hint: "Pack it into one file." };
  }
  if (count === 0xffff || start === 0xffffffff) {
    return { problem: "is a zip64", hint: `Pack it with ${PACK}.` };
  }
  if (count > maxEntries) return tooMany(count, maxEntries);

  const entries: ZipEntry[] = [];
  let at = start;
  for (let index = 0; index < count; index += 1) {
    if (at + CENTRAL.size > end || zip.readUInt32LE(at) !== CENTRAL.signature) return DAMAGED;
    const nameEnd = at + CENTRAL.size + zip.readUInt16LE(at + 28);
    const next = nameEnd + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
    if (next > end) return DAMAGED;
    entries.push(centralEntry(zip, at, nameEnd));
    at = next;
  }
  // Other programs might see additional entries that are not counted here.
  return at === end ? entries : DAMAGED;
}

/** Unpacks an entry and checks its size and checksum. */
export function unpackEntry(zip: Buffer, entry: ZipEntry): Buffer | ZipProblem {
  const damaged = { problem: `is damaged at ${entry.name}`, hint: FETCH };
  const { header, size } = entry.packed;
  if (header + LOCAL.size > zip.length || zip.readUInt32LE(header) !== LOCAL.signature) {
    return damaged;
  }
  const nameEnd = header + LOCAL.size + zip.readUInt16LE(header + 26);
  const start = nameEnd + zip.readUInt16LE(header + 28);
  if (start + size > zip.length) return damaged;
  if (decodeName(zip.subarray(header + LOCAL.size, nameEnd)) !== entry.name) return damaged;
  const unpacked = unpack(zip.subarray(start, start + size), entry);
  if (unpacked?.length !== entry.size || crc32(unpacked) !== entry.crc) return damaged;
  return unpacked;
}

export function tooMany(count: number, most: number): ZipProblem {
  return {
    problem: `has ${count.toLocaleString("en")} entries; the maximum is ${most.toLocaleString("en")}`,
    hint: LEAVE_OUT,
  };
}

export const PACK = "cd FOLDER && zip -r ../NAME.zip .";

/** The hint for a zip that is too large. */
export const LEAVE_OUT =
  "Leave out what the states do not use, such as .git, node_modules or data, and pack it again.";

const FETCH = `Copy or fetch it again, or pack it again: ${PACK}`;

const DAMAGED: ZipProblem = {
  problem: "is damaged: its directory cannot be read",
  hint: FETCH,
};

/** The end record: last in the file, except for a comment of the declared length. */
function findEnd(zip: Buffer): number | null {
  const last = zip.length - END.size;
  for (let at = last; at >= Math.max(0, last - LONGEST_COMMENT); at -= 1) {
    if (zip.readUInt32LE(at) !== END.signature) continue;
    if (at + END.size + zip.readUInt16LE(at + 20) === zip.length) return at;
  }
  return null;
}

function centralEntry(zip: Buffer, at: number, nameEnd: number): ZipEntry {
  const name = decodeName(zip.subarray(at + CENTRAL.size, nameEnd));
  const mode = zip.readUInt32LE(at + 38) >>> 16;
  return {
    name,
    isFolder: name.endsWith("/"),
    size: zip.readUInt32LE(at + 24),
    mode,
    encrypted: (zip.readUInt16LE(at + 8) & 0x2041) !== 0,
    method: zip.readUInt16LE(at + 10),
    crc: zip.readUInt32LE(at + 16),
    packed: { header: zip.readUInt32LE(at + 42), size: zip.readUInt32LE(at + 20) },
  };
}

/** Protects against zip bombs: never allocates more than the declared size. */
function unpack(packed: Buffer, { method, size }: ZipEntry): Buffer | null {
  if (method === 0) return packed;
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(size, 1) });
  } catch {
    return null;
  }
}

/** UTF-8, which many programs write without declaring it, else latin1. */
function decodeName(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes.toString("latin1");
  }
}
