import { createReadStream } from "node:fs";
import path from "node:path";
import type { JsonObject } from "../../core/json-object.ts";
import { filesIn, withoutEnding } from "./beside.ts";
import { parseObject, textAt } from "./json.ts";
import { LineReader } from "./lines.ts";
import type { RecollectionReader } from "./recollection-reader.ts";
import { sizeOf } from "./transcript-place.ts";

/**
 * A transcript from a place on, and those of its subagents: what their copies in `sides` lack, or (null)
 * what `isOwn` tells.
 */
export async function readAll(
  transcript: string,
  start: number,
  to: RecollectionReader,
  sides: string | null,
  isOwn: (line: JsonObject) => boolean,
): Promise<void> {
  const beside = withoutEnding(transcript);
  for (const side of await filesIn(beside)) {
    if (!side.endsWith(".jsonl")) continue;
    const kept = sides === null ? 0 : ((await sizeOf(path.join(sides, side))) ?? 0);
    const lines = sides === null ? to.file(isOwn) : to.file();
    await readLines(path.join(beside, side), kept, lines);
  }
  await readLines(transcript, start, to.file());
}

/** A file from a place on. */
export async function readLines(file: string, start: number, lines: LineReader): Promise<void> {
  for await (const chunk of createReadStream(file, { start })) lines.push(chunk as Buffer);
  lines.end();
}

/** The ids of all lines of a transcript, which a branch of it keeps; null where it cannot be read. */
export async function lineIds(transcript: string): Promise<ReadonlySet<string> | null> {
  const ids = new Set<string>();
  const lines = new LineReader({
    line: (text) => {
      const id = textAt(parseObject(text) ?? {}, "uuid");
      if (id !== null) ids.add(id);
    },
    tooLong: () => undefined,
  });
  const read = readLines(transcript, 0, lines);
  return read.then(
    () => ids,
    () => null,
  );
}
