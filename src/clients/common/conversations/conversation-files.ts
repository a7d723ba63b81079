import { access, constants, readdir, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../../../language/basics/error-code.ts";
import type { SessionId } from "../../../machine/model/agent.ts";

/** The file of a conversation, or the path where the client would create it. */
export interface ConversationPlace {
  readonly file: string;
  /** Bytes; null if the file does not exist. */
  readonly size: number | null;
}

/** Bytes of a file; null if it does not exist. */
export async function sizeOf(file: string): Promise<number | null> {
  const found = await stat(file).catch(() => null);
  return found?.isFile() === true ? found.size : null;
}

/**
 * Finds a conversation of a client that has a folder for each working folder: in the one of `cwd`, else in any other,
 * since a conversation stays where it started. `nameOf`: the name for a path without links.
 */
export async function findInFolders(
  folders: string,
  cwd: string,
  session: SessionId,
  nameOf: (cwd: string) => string,
): Promise<ConversationPlace> {
  const own = nameOf(await realpath(cwd).catch(() => cwd));
  for (const name of [own, ...(await readdir(folders).catch(() => []))]) {
    const file = path.join(folders, name, `${session}.jsonl`);
    const size = await sizeOf(file);
    if (size !== null) return { file, size };
  }
  return { file: path.join(folders, own, `${session}.jsonl`), size: null };
}

/** Why a client could not write a conversation to this file; null if it can. */
export async function writeProblem(file: string): Promise<string | null> {
  for (let place = file; ; place = path.dirname(place)) {
    try {
      await access(place, constants.W_OK);
      if (place === file || (await stat(place)).isDirectory()) return null;
      return `${place} is not a folder`;
    } catch (error) {
      const code = errorCode(error);
      // The client creates missing folders.
      if (code === "ENOENT" && place !== path.dirname(place)) continue;
      // A part of the path is a file, which a parent shows.
      if (code === "ENOTDIR") continue;
      return error instanceof Error ? error.message : String(error);
    }
  }
}

/** Calls `act` for each file below `from`, with its path below `to`. */
export async function eachFile(
  from: string,
  to: string,
  act: (file: string, other: string) => Promise<unknown>,
): Promise<void> {
  for (const file of await filesIn(from)) await act(path.join(from, file), path.join(to, file));
}

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
