import { createReadStream, createWriteStream } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type { CarriedConversation } from "../../../engine/ports/backend.ts";
import { eachFile, sizeOf, withoutEnding } from "./conversation-files.ts";
import type { ConversationStore } from "./conversation-store.ts";
import type { IncrementalCopies, Mask } from "./incremental-copy.ts";

export interface CarryOptions {
  readonly store: ConversationStore;
  /** The folders of conversation copies of both runs. */
  readonly from: string;
  readonly to: string;
  readonly files: IncrementalCopies;
  /** For the new copy. */
  readonly mask: Mask;
}

/**
 * Creates a conversation from the first part of another, which is not changed: a truncated copy of its file whose lines
 * have the new id. Returns false if neither the client nor the run's copy has that much of the conversation.
 */
export async function copyConversation(
  { session, length, as, cwd }: CarriedConversation,
  { store, from, to, files, mask }: CarryOptions,
): Promise<boolean> {
  const { file } = await store.find(session, cwd);
  const source = await longEnough(length, [file, path.join(from, `${session}.jsonl`)]);
  if (source === null) return false;
  const copy = path.join(to, as);
  await mkdir(to, { recursive: true, mode: 0o700 });
  await copyLines(source.file, `${copy}.jsonl`, source.length, store.renamed(as, session), mask);
  await eachFile(withoutEnding(source.file), copy, (one, other) => files.keep(one, other, mask));
  const place = await store.find(as, cwd);
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
