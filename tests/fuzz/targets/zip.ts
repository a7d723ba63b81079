import path from "node:path";
import { readZipEntries, unpackEntry } from "../../../src/scopes/zip-entries.ts";
import { checkZip, MAX_ENTRIES, MAX_UNPACKED_BYTES } from "../../../src/scopes/zip-rules.ts";
import { zipOf } from "../../support/disk/zips.ts";
import type { Target } from "../target.ts";

/** A zip of a stranger: a problem in words, or entries that stay inside and within the limits. */
export const zipTarget: Target = {
  name: "zip",
  words: [
    ...["PK\u0001\u0002", "PK\u0003\u0004", "PK\u0005\u0006", "../", "/", "\\", "C:", "\u0000"],
    ...["START.md", "START.sh", "__MACOSX/", ".DS_Store", "A/", "é", "e\u0301", ".", "con.md"],
  ],
  seeds: () => [
    zipOf({ "START.md": "Do it.\n", "A.sh": "echo '<result/>'\n" }),
    zipOf({ "flow/": "", "flow/START.md": "x".repeat(5_000), "flow/lib/é.txt": "e" }),
    zipOf({ "START.md": "s", "link.md": "/etc/passwd" }, { "link.md": 0o120777 }),
  ],
  broken(input) {
    const listed = readZipEntries(input, MAX_ENTRIES);
    if ("problem" in listed) return null;
    const contents = checkZip(listed, "windows");
    if ("problem" in contents) return null;
    let bytes = 0;
    for (const entry of contents.entries) {
      const place = path.posix.resolve("/scope", entry.name);
      if (!place.startsWith("/scope/")) return `${entry.name} leads out of the folder.`;
      if (entry.name.includes("\0")) return "A name has a NUL.";
      const unpacked = unpackEntry(input, entry);
      if ("problem" in unpacked) return null;
      bytes += unpacked.length;
    }
    if (bytes > MAX_UNPACKED_BYTES) return `It unpacks to ${String(bytes)} bytes.`;
    const missing = contents.names.find((name) => /[/\\]/.test(name));
    return missing === undefined ? null : `${missing} is no name of a state.`;
  },
};
