import { readdir } from "node:fs/promises";
import path from "node:path";

/** All files below a folder, relative to it; empty if the folder does not exist. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) =>
    entry.isFile() ? [path.relative(folder, path.join(entry.parentPath, entry.name))] : [],
  );
}

/** The folder of a transcript, with the transcripts of subagents and long tool outputs. */
export function withoutEnding(transcript: string): string {
  return transcript.slice(0, -".jsonl".length);
}
