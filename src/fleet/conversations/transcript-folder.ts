import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../../language/basics/error-code.ts";
import { syncFolder } from "../../scopes/durable.ts";
import type { TranscriptFile, TranscriptStore } from "./transcript-store.ts";

/*
 * How conversations are stored in a folder that several machines write to, without fencing:
 *
 * K1  Each file of a conversation is a folder of parts. One process writes a part, and only appends to it.
 *     The name of a part is its epoch, a number, and its first byte.
 * K2  A process that claims a run starts a new part at the length on which the state is based. Where parts
 *     overlap, the one with the later epoch counts.
 * K3  A process that has lost the run may still append to its part. These bytes are after the start of the
 *     next part, or after the length on which any state is based, so they are never read.
 */

/** The conversations of one run. `epoch`: that of this process. */
export function transcriptFolder(folder: string, epoch: number): TranscriptStore {
  /** The current part of each file, and the end of the file. */
  const parts = new Map<string, { readonly part: string; readonly end: number }>();
  let count = 0;
  const at = (...names: readonly string[]) => path.join(folder, ...names);
  const placeOf = ({ session, name }: TranscriptFile) =>
    name === "" ? at(session, "conversation") : at(session, "beside", name);

  return {
    files: async (session) => {
      const root = at(session, "beside");
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(
        emptyIfMissing,
      );
      const places = new Set(entries.flatMap((entry) => (entry.isFile() ? entry.parentPath : [])));
      const sizes = new Map<string, number>();
      for (const place of places) {
        const [last] = await partsOf(place);
        if (last !== undefined) sizes.set(path.relative(root, place), last.start + last.size);
      }
      return sizes;
    },
    write: async (file, start, bytes) => {
      const place = placeOf(file);
      const current = parts.get(place);
      // If the write fails, the next one starts a new part.
      parts.delete(place);
      const end = start + bytes.length;
      if (current?.end === start) {
        await append(current.part, bytes);
        parts.set(place, { part: current.part, end });
        return;
      }
      count += 1;
      const part = path.join(place, [epoch, count, start].join("."));
      await mkdir(place, { recursive: true, mode: 0o700 });
      await append(part, bytes);
      await syncUpTo(path.dirname(folder), place);
      parts.set(place, { part, end });
    },
    read: (file, length) => pieces(placeOf(file), length),
    drop: async (sessions) => {
      for (const session of sessions) await rm(at(session), { recursive: true, force: true });
    },
  };
}

/** A part of a file, from its byte `start`. */
interface Part {
  readonly path: string;
  readonly start: number;
  readonly size: number;
}

/** The parts of a file, the last one first. */
async function partsOf(place: string): Promise<readonly Part[]> {
  const names = await readdir(place).catch(emptyIfMissing);
  const parts = names.flatMap((name) => {
    const [, epoch, number, start] = /^(\d+)\.(\d+)\.(\d+)$/.exec(name) ?? [];
    if (start === undefined) return [];
    const file = path.join(place, name);
    return { epoch: Number(epoch), number: Number(number), start: Number(start), path: file };
  });
  const sorted = parts.toSorted((a, b) => b.epoch - a.epoch || b.number - a.number);
  return Promise.all(sorted.map(async (part) => ({ ...part, size: (await stat(part.path)).size })));
}

/** K2. Ends at a missing byte. */
async function* pieces(place: string, length: number): AsyncIterable<Buffer> {
  const used: Pick<Part, "path" | "size">[] = [];
  let end = length;
  for (const { path: file, start, size } of await partsOf(place)) {
    if (start >= end) continue;
    if (start + size < end) return;
    used.unshift({ path: file, size: end - start });
    end = start;
  }
  if (end > 0) return;
  for (const { path: file, size } of used) {
    yield* createReadStream(file, { end: size - 1, highWaterMark: BLOCK }) as AsyncIterable<Buffer>;
  }
}

const BLOCK = 1024 * 1024;

/** Names survive a power loss once their folders are synced. */
async function syncUpTo(top: string, folder: string): Promise<void> {
  await syncFolder(folder);
  if (folder !== top) await syncUpTo(top, path.dirname(folder));
}

async function append(part: string, bytes: Buffer): Promise<void> {
  const handle = await open(part, "a", 0o600);
  try {
    await handle.appendFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function emptyIfMissing(error: unknown): [] {
  if (errorCode(error) === "ENOENT") return [];
  throw error;
}
