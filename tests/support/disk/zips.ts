import { type Zippable, zipSync } from "fflate";

/** A zip archive of these files, as on Unix. Modes contain permissions and file type. */
export function zipOf(
  files: Readonly<Record<string, string>>,
  modes: Readonly<Record<string, number>> = {},
): Buffer {
  const entries: Zippable = {};
  for (const [name, text] of Object.entries(files)) {
    const mode = modes[name] ?? (name.endsWith("/") ? 0o040755 : 0o100644);
    entries[name] = [Buffer.from(text), { os: 3, attrs: mode << 16 }];
  }
  return Buffer.from(zipSync(entries));
}

/** Offset of the entry in the central directory. Its fields have fixed offsets from there. */
export function centralEntryOf(zip: Buffer, name: string): number {
  for (
    let at = zip.indexOf("PK\u0001\u0002");
    at !== -1;
    at = zip.indexOf("PK\u0001\u0002", at + 1)
  ) {
    if (zip.toString("utf8", at + 46, at + 46 + zip.readUInt16LE(at + 28)) === name) return at;
  }
  throw new Error(`There is no ${name} in this zip`);
}

/** Replaces a name everywhere in a zip by one of the same length. */
export function renamed(zip: Buffer, from: string, to: string): Buffer {
  if (from.length !== to.length) throw new Error("Names of one length only");
  return Buffer.from(zip.toString("latin1").replaceAll(from, to), "latin1");
}
