import { constants, createWriteStream } from "node:fs";
import { cp, mkdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { isPrefix } from "../../clients/claude/transcripts/incremental-copy.ts";
import { sizeOf } from "../../clients/claude/transcripts/transcript-place.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import type { SessionId } from "../../machine/agent.ts";
import type { TranscriptFile, TranscriptStore } from "../../storage/transcript-store.ts";

/** Where a conversation is to lie on this machine. */
export interface RestoreTo {
  readonly file: string;
  /** What it names, and does not hold: a folder. */
  readonly beside: string;
  /** Where what lies there goes that is not of the run any more: nobody's words are deleted. */
  readonly aside: string;
}

/**
 * Makes a conversation be what the state of its run builds on, to the byte. What this machine has beyond
 * that, or instead, is kept aside: a step that the run does not know of has said it, or a person. Whether
 * all of it is kept; where not, this machine has nothing of it.
 */
export async function restoreConversation(
  session: SessionId,
  length: number,
  keep: TranscriptStore,
  { file, beside, aside }: RestoreTo,
): Promise<boolean> {
  const whole = await fetched({ session, name: "" }, length, keep, file);
  const size = await sizeOf(file);
  const fits = whole !== null && size !== null && size <= length;
  if (size !== null && !(fits && (await isPrefix(file, whole, size)))) {
    await moveAside(file, path.join(aside, `${session}.jsonl`));
    if (await isThere(beside)) await moveAside(beside, path.join(aside, session));
  }
  if (whole === null) return false;
  for (const [name, end] of await keep.files(session)) {
    // A name that leads elsewhere is none of ours.
    if (path.isAbsolute(name) || path.normalize(name).startsWith("..")) continue;
    const target = path.join(beside, name);
    if (((await sizeOf(target)) ?? -1) >= end) continue;
    const parts = await fetched({ session, name }, end, keep, target);
    if (parts !== null) await rename(parts, target);
  }
  await rename(whole, file);
  return true;
}

/** A file that holds the first bytes of one that is kept, beside its target; null where not all are there. */
async function fetched(
  file: TranscriptFile,
  length: number,
  keep: TranscriptStore,
  target: string,
): Promise<string | null> {
  const parts = `${target}.raymond`;
  await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
  await rm(parts, { force: true });
  try {
    await pipeline(keep.read(file, length), createWriteStream(parts, { mode: 0o600 }));
    if ((await sizeOf(parts)) === length) return parts;
  } catch (error) {
    await rm(parts, { force: true });
    throw error;
  }
  await rm(parts, { force: true });
  return null;
}

/** Under a name that nothing has there. */
async function moveAside(from: string, wanted: string): Promise<void> {
  await mkdir(path.dirname(wanted), { recursive: true, mode: 0o700 });
  let to = wanted;
  for (let number = 2; await isThere(to); number += 1) to = `${wanted}.${String(number)}`;
  try {
    await rename(from, to);
  } catch (error) {
    if (errorCode(error) !== "EXDEV") throw error;
    await cp(from, to, { recursive: true, mode: constants.COPYFILE_FICLONE });
    await rm(from, { recursive: true });
  }
}

function isThere(place: string): Promise<boolean> {
  return stat(place).then(
    () => true,
    () => false,
  );
}
