import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import path from "node:path";
import { filesIn } from "../../clients/common/conversations/conversation-files.ts";
import type { Mask } from "../../clients/common/conversations/incremental-copy.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import type { SessionId } from "../../machine/model/agent.ts";
import type { UpdatedConversation } from "../../machine/record/updated-conversations.ts";
import type { LocateConversation } from "../../wire/backends.ts";
import type { TranscriptFile, TranscriptStore } from "./transcript-store.ts";

/** How much of the conversations of a run, and of the files in their folders, is stored. */
export class Shipped {
  readonly lengths: Map<SessionId, number>;
  readonly beside = new Map<SessionId, Map<string, number>>();

  constructor(lengths: ReadonlyMap<SessionId, number>) {
    this.lengths = new Map(lengths);
  }

  forget(session: SessionId): void {
    this.lengths.delete(session);
    this.beside.delete(session);
  }
}

/** Stores the new part of a conversation. Resolves with its stored length; null if the client has none. */
export async function shipConversation(
  { session, length, cwd, owner }: UpdatedConversation & { readonly owner: string },
  shipped: Shipped,
  transcripts: TranscriptStore,
  locate: LocateConversation,
  mask: Mask = null,
): Promise<number | null> {
  const place = await locate(session, cwd, owner);
  if (place === null) return null;
  const { file, beside } = place;
  const size = await sizeOf(file);
  if (size === null) return null;
  const to = Math.min(size, length ?? size);
  const stored = shipped.beside.get(session) ?? new Map(await transcripts.files(session));
  shipped.beside.set(session, stored);
  // The conversation refers to these files, so they are stored first.
  for (const name of await filesIn(beside)) {
    const from = path.join(beside, name);
    const end = (await sizeOf(from)) ?? 0;
    await ship({ session, name }, from, stored.get(name) ?? 0, end, transcripts, mask);
    stored.set(name, end);
  }
  const start = shipped.lengths.get(session) ?? 0;
  await ship({ session, name: "" }, file, start, to, transcripts, mask);
  shipped.lengths.set(session, to);
  return to;
}

/** A file that has become shorter was rewritten, and is stored again. */
async function ship(
  file: TranscriptFile,
  from: string,
  stored: number,
  end: number,
  transcripts: TranscriptStore,
  mask: Mask,
): Promise<void> {
  if (end === stored) return;
  let at = stored < end ? stored : 0;
  const masked: Buffer[] = [];
  const write = (chunk: Buffer) => masked.push(chunk);
  const stream = mask?.(write) ?? { push: write, end: () => undefined };
  const store = async () => {
    for (const block of masked.splice(0)) {
      await transcripts.write(file, at, block);
      at += block.length;
    }
  };
  if (at < end) {
    const blocks = createReadStream(from, { start: at, end: end - 1, highWaterMark: BLOCK });
    for await (const block of blocks as AsyncIterable<Buffer>) {
      stream.push(block);
      await store();
    }
    stream.end();
    await store();
  }
  if (at < end) throw new Error(`${from} became shorter while it was read`);
}

const BLOCK = 1024 * 1024;

/** Null only for a missing file, unlike the `sizeOf` of the client. */
async function sizeOf(file: string): Promise<number | null> {
  const found = await stat(file).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  });
  return found === null ? null : found.size;
}
