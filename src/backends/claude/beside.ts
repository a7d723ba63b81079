import { readdir } from "node:fs/promises";
import path from "node:path";

/** All files below a folder, relative to it; none where there is no such folder. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) =>
    entry.isFile() ? [path.relative(folder, path.join(entry.parentPath, entry.name))] : [],
  );
}

/** The folder beside a transcript: what subagents said, and outputs too long for a message. */
export function withoutEnding(transcript: string): string {
  return transcript.slice(0, -".jsonl".length);
}
