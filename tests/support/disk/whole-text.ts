import type { FileText } from "../../../src/storage/disk.ts";

/** The text that is written to a file. */
export function wholeText(data: FileText): string {
  return typeof data === "string" ? data : data.join("");
}
