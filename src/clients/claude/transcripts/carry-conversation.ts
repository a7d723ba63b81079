import { createReadStream, createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type { CarriedConversation } from "../../../engine/ports/backend.ts";
import type { SessionId } from "../../../machine/agent.ts";
import { eachFile, sizeOf, withoutEnding } from "../../common/conversation-files.ts";
import type { IncrementalCopies, Mask } from "../../common/incremental-copy.ts";
import { clientHome, findTranscript } from "./transcript-place.ts";

export interface CarryOptions {
  /** The client's environment, which decides where it stores conversations. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The user's home folder. */
  readonly home: string;
  /** The folders of conversation copies of both runs. */
  readonly from: string;
  readonly to: string;
  readonly files: IncrementalCopies;
  /** For the new copy. */
  readonly mask: Mask;
}

/**
 * Creates a conversation from the first part of another, which is not changed: a truncated copy of the transcript whose
 * lines have the new id. Both versions of the client resume it (measured: the API gets exactly that part). Returns false
 * if neither the client nor the run's copy has that much of the conversation.
 */
export async function copyConversation(
  { session, length, as, cwd }: CarriedConversation,
  { env, home, from, to, files, mask }: CarryOptions,
): Promise<boolean> {
  const client = clientHome(env, home);
  const { file } = await findTranscript(client, cwd, session);
  const source = await longEnough(length, [file, path.join(from, `${session}.jsonl`)]);
  if (source === null) return false;
  const copy = path.join(to, as);
  await mkdir(to, { recursive: true, mode: 0o700 });
  await copyLines(source.file, `${copy}.jsonl`, source.length, withSessionId(as, session), mask);
  await eachFile(withoutEnding(source.file), copy, (one, other) => files.keep(one, other, mask));
  const place = await findTranscript(client, cwd, as);
  await files.putBack(`${copy}.jsonl`, place.file);
  await eachFile(copy, withoutEnding(place.file), (one, other) => files.putBack(one, other));
  return true;
}

/** The first file with at least `length` bytes (null: any size). */
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

/** Copies the complete lines of the first `length` bytes: a kill may have torn the last one. */
async function copyLines(
  from: string,
  to: string,
  length: number,
  change: (lines: string) => string,
  mask: Mask,
): Promise<void> {
  const input = createReadStream(from, { end: length - 1, highWaterMark: BLOCK });
  async function* changed() {
    let rest = Buffer.alloc(0);
    const written: Buffer[] = [];
    const write = (chunk: Buffer) => written.push(chunk);
    const masked = mask?.(write) ?? { push: write, end: () => undefined };
    for await (const chunk of input as AsyncIterable<Buffer>) {
      const all = Buffer.concat([rest, chunk]);
      const end = all.lastIndexOf(NEWLINE) + 1;
      if (end > 0) masked.push(Buffer.from(change(all.subarray(0, end).toString())));
      rest = all.subarray(end);
      yield* written.splice(0);
    }
    masked.end();
    yield* written;
  }
  await pipeline(changed, createWriteStream(to, { mode: 0o600 }));
}

const BLOCK = 1024 * 1024;
const NEWLINE = 10;

/** Replaces only the key of a line: in texts, quotes are escaped. */
function withSessionId(as: SessionId, session: SessionId): (lines: string) => string {
  return (lines) => lines.replaceAll(`"sessionId":"${session}"`, `"sessionId":"${as}"`);
}
