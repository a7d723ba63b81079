import { open, stat } from "node:fs/promises";
import path from "node:path";
import { filesIn } from "../../clients/claude/transcripts/transcript-place.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import type { SessionId } from "../../machine/agent.ts";
import type { UpdatedConversation } from "../../machine/record/updated-conversations.ts";
import type { TranscriptFile, TranscriptStore } from "../../storage/transcript-store.ts";
import type { LocateConversation } from "../../wire/backends.ts";

/** What is kept of the conversations of a run: how much of each, and of what lies beside it. */
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

/**
 * Brings what is kept of a conversation up to what its client has. Returns how much of it is kept;
 * null where the client has none. Rejects where it cannot be read or kept.
 */
export async function shipConversation(
  { session, length, cwd }: UpdatedConversation,
  shipped: Shipped,
  keep: TranscriptStore,
  locate: LocateConversation,
): Promise<number | null> {
  const { file, beside } = await locate(session, cwd);
  const size = await sizeOf(file);
  if (size === null) return null;
  const to = Math.min(size, length ?? size);
  const known = shipped.beside.get(session) ?? new Map(await keep.files(session));
  shipped.beside.set(session, known);
  // First what it names: it must never name what is not there.
  for (const name of await filesIn(beside)) {
    const from = path.join(beside, name);
    const end = (await sizeOf(from)) ?? 0;
    await ship({ session, name }, from, known.get(name) ?? 0, end, keep);
    known.set(name, end);
  }
  await ship({ session, name: "" }, file, shipped.lengths.get(session) ?? 0, to, keep);
  shipped.lengths.set(session, to);
  return to;
}

/** One that has become shorter was written anew. */
async function ship(
  file: TranscriptFile,
  from: string,
  kept: number,
  end: number,
  keep: TranscriptStore,
): Promise<void> {
  if (end === kept) return;
  const handle = await open(from, "r");
  try {
    for (let at = kept < end ? kept : 0; at < end; ) {
      const { buffer, bytesRead } = await handle.read(
        Buffer.alloc(Math.min(BLOCK, end - at)),
        0,
        Math.min(BLOCK, end - at),
        at,
      );
      if (bytesRead === 0) throw new Error(`${from} became shorter while it was read`);
      await keep.write(file, at, buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    await handle.close();
  }
}

const BLOCK = 1024 * 1024;

/** Bytes of a file; null where there is none. Rejects where it cannot be told. */
async function sizeOf(file: string): Promise<number | null> {
  const found = await stat(file).catch((error: unknown) => {
    if (errorCode(error) === "ENOENT") return null;
    throw error;
  });
  return found === null ? null : found.size;
}
