import { createReadStream } from "node:fs";
import type { PastCall } from "../../../engine/ports/backend.ts";
import type { JsonObject } from "../../../language/basics/json-object.ts";
import { parseObject, textAt } from "../json-fields.ts";
import { LineReader } from "../output/line-reader.ts";
import type { CallFiles } from "./conversation-store.ts";

type IsOwn = (line: JsonObject) => boolean;

/** Passes on the lines of a conversation from byte `start`, without those that are too long. A kill may have torn the last. */
export async function eachLine(
  file: string,
  start: number,
  act: (line: string) => void,
): Promise<void> {
  const lines = new LineReader({ line: act, tooLong: () => undefined });
  for await (const chunk of createReadStream(file, { start })) lines.push(chunk as Buffer);
  lines.end();
}

/** Whether a line from byte `start` on matches. Reads no further than the first one. */
export async function someLine(
  file: string,
  start: number,
  matches: (line: string) => boolean,
): Promise<boolean> {
  const search = { found: false };
  const line = (text: string) => {
    search.found ||= matches(text);
  };
  const lines = new LineReader({ line, tooLong: () => undefined });
  for await (const chunk of createReadStream(file, { start })) {
    lines.push(chunk as Buffer);
    if (search.found) return true;
  }
  lines.end();
  return search.found;
}

/** The same for lines that are objects. */
export function eachObject(
  file: string,
  start: number,
  act: (line: JsonObject) => void,
): Promise<void> {
  return eachLine(file, start, (text) => {
    const line = parseObject(text);
    if (line !== null) act(line);
  });
}

/** Matches lines since a time, epoch ms. */
export function writtenSince(moment: number): IsOwn {
  // Lines without a timestamp do not match (NaN).
  return (line) => Date.parse(textAt(line, "timestamp") ?? "") >= moment;
}

/** The first byte of the lines of a call (null: unknown), and a filter for them. `id`: the field that branches keep. */
export async function partOf(
  { since, part }: PastCall,
  { source }: CallFiles,
  id: string,
): Promise<{ readonly start: number | null; readonly isOwn: IsOwn }> {
  if (part !== undefined && "from" in part) return { start: part.from, isOwn: () => true };
  const copied = source === null ? null : await idsIn(source, id);
  if (copied === null) return { start: null, isOwn: writtenSince(since) };
  return { start: null, isOwn: (line) => !copied.has(textAt(line, id) ?? "") };
}

/** The first byte to read if the part of a call is unknown: what was copied before the call is not of the call. */
export function unknownStart(
  { byHand }: PastCall,
  { lost, size, kept }: Pick<CallFiles, "lost" | "size" | "kept">,
): number {
  const isOlder = byHand !== true && !lost && kept !== null && kept < (size ?? 0);
  return isOlder ? kept : 0;
}

/** The ids of all lines; null if the file cannot be read. */
async function idsIn(file: string, field: string): Promise<ReadonlySet<string> | null> {
  const ids = new Set<string>();
  const read = eachObject(file, 0, (line) => {
    const id = textAt(line, field);
    if (id !== null) ids.add(id);
  });
  return read.then(
    () => ids,
    () => null,
  );
}
