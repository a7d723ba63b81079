import { constants, createWriteStream, existsSync } from "node:fs";
import { cp, mkdir, rename, rm } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { sizeOf } from "../../clients/common/conversations/conversation-files.ts";
import { isPrefix } from "../../clients/common/conversations/incremental-copy.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import type { SessionId } from "../../machine/model/agent.ts";
import type { TranscriptFile, TranscriptStore } from "./transcript-store.ts";

/** The places of a conversation on this machine. */
export interface RestoreTo {
  readonly file: string;
  /** The folder of files to which it refers. */
  readonly beside: string;
  /** The folder for conversations that are replaced: they are never deleted. */
  readonly aside: string;
}

/**
 * Restores a conversation to exactly the length on which the state of its run is based. A longer or different
 * one on this machine is moved aside. False if not all of it is stored; then this machine has none of it.
 */
export async function restoreConversation(
  session: SessionId,
  length: number,
  transcripts: TranscriptStore,
  { file, beside, aside }: RestoreTo,
): Promise<boolean> {
  const whole = await fetch({ session, name: "" }, length, transcripts, file);
  const size = await sizeOf(file);
  const fits = whole !== null && size !== null && size <= length;
  if (size !== null && !(fits && (await isPrefix(file, whole, size)))) {
    await moveAside(file, path.join(aside, `${session}.jsonl`));
    if (existsSync(beside)) await moveAside(beside, path.join(aside, session));
  }
  if (whole === null) return false;
  for (const [name, end] of await transcripts.files(session)) {
    // Names that lead out of the folder are not trusted.
    if (path.isAbsolute(name) || path.normalize(name).startsWith("..")) continue;
    const target = path.join(beside, name);
    if (((await sizeOf(target)) ?? -1) >= end) continue;
    const parts = await fetch({ session, name }, end, transcripts, target);
    if (parts !== null) await rename(parts, target);
  }
  await rename(whole, file);
  return true;
}

/** Writes the first bytes of a stored file next to its target; null if some are missing. */
async function fetch(
  file: TranscriptFile,
  length: number,
  transcripts: TranscriptStore,
  target: string,
): Promise<string | null> {
  const parts = `${target}.raymond`;
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  await rm(parts, { force: true });
  try {
    await pipeline(transcripts.read(file, length), createWriteStream(parts, { mode: 0o600 }));
    if ((await sizeOf(parts)) === length) return parts;
  } catch (error) {
    await rm(parts, { force: true });
    throw error;
  }
  await rm(parts, { force: true });
  return null;
}

/** Adds a number to the name if it exists. */
async function moveAside(from: string, name: string): Promise<void> {
  await mkdir(path.dirname(name), { recursive: true, mode: 0o700 });
  let to = name;
  for (let number = 2; existsSync(to); number += 1) to = `${name}.${String(number)}`;
  try {
    await rename(from, to);
  } catch (error) {
    if (errorCode(error) !== "EXDEV") throw error;
    await cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE });
    await rm(from, { recursive: true });
  }
}
