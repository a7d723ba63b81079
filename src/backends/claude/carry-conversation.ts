import { createReadStream, createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type { SessionId } from "../../core/machine/agent.ts";
import type { CarriedConversation } from "../../ports/backend.ts";
import { filesIn, withoutEnding } from "./beside.ts";
import type { IncrementalCopies } from "./incremental-copy.ts";
import { clientHome, findTranscript, sizeOf } from "./transcript-place.ts";

export interface CarryOptions {
  /** As the client gets it: it says where the client keeps its conversations. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  /** Where the one run keeps copies of its conversations, and where the other does. */
  readonly from: string;
  readonly to: string;
  readonly files: IncrementalCopies;
}

/**
 * Begins a conversation of its own with the first part of another, which stays as
 * it is: a copy of the transcript under a new id, cut, with its lines in the name
 * of that id, is to both versions of the client a conversation like any other
 * (measured: the API gets all of that part and nothing behind it). False where
 * neither the client nor the run's copy has so much of it.
 */
export async function carryConversation(
  { session, length, as, cwd }: CarriedConversation,
  { env, home, from, to, files }: CarryOptions,
): Promise<boolean> {
  const client = clientHome(env, home);
  const { file } = await findTranscript(client, cwd, session);
  const source = await longEnough(length, [file, path.join(from, `${session}.jsonl`)]);
  if (source === null) return false;
  const copy = path.join(to, as);
  await mkdir(to, { recursive: true, mode: 0o700 });
  await copyLines(source.file, `${copy}.jsonl`, source.length, inTheNameOf(as, session));
  const beside = withoutEnding(source.file);
  for (const side of await filesIn(beside)) {
    await files.keep(path.join(beside, side), path.join(copy, side));
  }
  const place = await findTranscript(client, cwd, as);
  await files.putBack(`${copy}.jsonl`, place.file);
  for (const side of await filesIn(copy)) {
    await files.putBack(path.join(copy, side), path.join(withoutEnding(place.file), side));
  }
  return true;
}

/** The first of these files that has so many bytes, or (null) is there at all. */
async function longEnough(
  length: number | null,
  files: readonly string[],
): Promise<{ readonly file: string; readonly length: number } | null> {
  for (const file of files) {
    const size = await sizeOf(file);
    if (size !== null && size > 0 && size >= (length ?? 0)) return { file, length: length ?? size };
  }
  return null;
}

/** The whole lines of the beginning of a file: one that a kill has torn is none. */
async function copyLines(
  from: string,
  to: string,
  length: number,
  change: (lines: string) => string,
): Promise<void> {
  const input = createReadStream(from, { end: length - 1, highWaterMark: BLOCK });
  async function* changed() {
    let rest = Buffer.alloc(0);
    for await (const chunk of input as AsyncIterable<Buffer>) {
      const all = Buffer.concat([rest, chunk]);
      const end = all.lastIndexOf(NEWLINE) + 1;
      if (end > 0) yield change(all.subarray(0, end).toString());
      rest = all.subarray(end);
    }
  }
  await pipeline(changed, createWriteStream(to, { mode: 0o600 }));
}

const BLOCK = 1024 * 1024;
const NEWLINE = 10;

/** Only the key of a line itself: in a text its quotes are escaped, and what was said stays as it was said. */
function inTheNameOf(as: SessionId, session: SessionId): (lines: string) => string {
  return (lines) => lines.replaceAll(`"sessionId":"${session}"`, `"sessionId":"${as}"`);
}
