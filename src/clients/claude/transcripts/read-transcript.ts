import { createReadStream } from "node:fs";
import path from "node:path";
import type { JsonObject } from "../../../language/basics/json-object.ts";
import { filesIn, sizeOf, withoutEnding } from "../../common/conversations/conversation-files.ts";
import { parseObject, textAt } from "../../common/json-fields.ts";
import { LineReader } from "../../common/line-reader.ts";
import type { RecoveredSessionReader } from "./recovered-session-reader.ts";

/**
 * Reads a transcript from byte `start`, and those of its subagents: the part that their copies in `sides` lack, or (null)
 * the lines that match `isOwn`.
 */
export async function readAll(
  transcript: string,
  start: number,
  to: RecoveredSessionReader,
  sides: string | null,
  isOwn: (line: JsonObject) => boolean,
): Promise<void> {
  const sideFolder = withoutEnding(transcript);
  for (const side of await filesIn(sideFolder)) {
    if (!side.endsWith(".jsonl")) continue;
    const kept = sides === null ? 0 : ((await sizeOf(path.join(sides, side))) ?? 0);
    const lines = sides === null ? to.file(isOwn) : to.file();
    await readLines(path.join(sideFolder, side), kept, lines);
  }
  await readLines(transcript, start, to.file());
}

export async function readLines(file: string, start: number, lines: LineReader): Promise<void> {
  for await (const chunk of createReadStream(file, { start })) lines.push(chunk as Buffer);
  lines.end();
}

/** The ids of all lines of a transcript, which its branches keep; null if it cannot be read. */
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
