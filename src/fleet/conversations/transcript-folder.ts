import { type FileHandle, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import { errorCode } from "../../language/basics/error-code.ts";
import type { SessionId } from "../../machine/agent.ts";
import { syncFolder } from "../../scopes/durable.ts";
import type { TranscriptFile, TranscriptStore } from "../../storage/transcript-store.ts";

/*
 * How conversations lie in a folder that several machines write to, and that knows of no epoch:
 *
 * K1  A file of a conversation is a folder of parts. Each part is written by one process, which only
 *     appends to it: its name tells the epoch, a number, and the byte at which it begins.
 * K2  Whoever takes a run begins a part of its own at the length that the state builds on. So of two
 *     parts that have a byte, that of the later epoch has it as it counts.
 * K3  A part of one that has lost the run may grow for as long as that lives: what it adds lies behind
 *     the beginning of the next part, or behind all that any state builds on, and nobody reads it.
 */

/** The conversations of a run in its own folder. `epoch`: of this process. */
export function transcriptFolder(folder: string, epoch: number): TranscriptStore {
  /** The part that this process adds to, and how far the file goes by it. */
  const own = new Map<string, { readonly part: string; readonly end: number }>();
  let made = 0;
  const at = (session: SessionId, ...names: readonly string[]) =>
    path.join(folder, session, ...names);
  const placeOf = ({ session, name }: TranscriptFile) =>
    name === "" ? at(session, "conversation") : at(session, "beside", name);

  return {
    files: async (session) => {
      const root = at(session, "beside");
      const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(
        orIfMissing([]),
      );
      const folders = new Set(entries.flatMap((entry) => (entry.isFile() ? entry.parentPath : [])));
      const sizes = new Map<string, number>();
      for (const each of folders) {
        const [last] = await partsOf(each);
        if (last !== undefined) sizes.set(path.relative(root, each), last.start + last.size);
      }
      return sizes;
    },
    write: async (file, start, bytes) => {
      const place = placeOf(file);
      const known = own.get(place);
      // What is torn is added to no more.
      own.delete(place);
      const continues = known?.end === start;
      if (!continues) made += 1;
      const part = continues
        ? known.part
        : path.join(place, nameOf({ epoch, number: made, start }));
      if (!continues) await mkdir(place, { recursive: true, mode: 0o700 });
      await append(part, bytes);
      if (!continues) await syncUpTo(path.dirname(folder), place);
      own.set(place, { part, end: start + bytes.length });
    },
    read: (file, length) => pieces(placeOf(file), length),
    drop: async (sessions) => {
      for (const session of sessions) await rm(at(session), { recursive: true, force: true });
    },
  };
}

interface Part {
  readonly epoch: number;
  readonly number: number;
  /** The byte of the file at which it begins. */
  readonly start: number;
}

function nameOf({ epoch, number, start }: Part): string {
  return `${String(epoch)}.${String(number)}.${String(start)}`;
}

/** The parts of a file, the last one first. */
async function partsOf(
  place: string,
): Promise<readonly (Part & { readonly path: string; readonly size: number })[]> {
  const names = await readdir(place).catch(orIfMissing([]));
  const parts = names.flatMap((name) => {
    const [, epoch, number, start] = /^(\d+)\.(\d+)\.(\d+)$/.exec(name) ?? [];
    if (start === undefined) return [];
    return {
      ...{ epoch: Number(epoch), number: Number(number), start: Number(start) },
      path: path.join(place, name),
    };
  });
  const sorted = parts.toSorted((a, b) => b.epoch - a.epoch || b.number - a.number);
  return Promise.all(sorted.map(async (part) => ({ ...part, size: (await stat(part.path)).size })));
}

/** K2. Ends where a byte is nowhere. */
async function* pieces(place: string, length: number): AsyncIterable<Buffer> {
  const taken: { readonly path: string; readonly size: number }[] = [];
  let end = length;
  for (const { path: part, start, size } of await partsOf(place)) {
    if (start >= end) continue;
    if (start + size < end) return;
    taken.unshift({ path: part, size: end - start });
    end = start;
  }
  if (end > 0) return;
  for (const { path: part, size } of taken) {
    const handle = await open(part, "r");
    try {
      for (let at = 0; at < size; ) {
        const piece = await readAt(handle, at, Math.min(BLOCK, size - at));
        if (piece.length === 0) return;
        yield piece;
        at += piece.length;
      }
    } finally {
      await handle.close();
    }
  }
}

const BLOCK = 1024 * 1024;

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

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

function orIfMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (errorCode(error) === "ENOENT") return value;
    throw error;
  };
}
