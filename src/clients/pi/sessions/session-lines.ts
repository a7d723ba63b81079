import { createReadStream } from "node:fs";
import type { JsonObject } from "../../../language/basics/json-object.ts";
import type { SessionId } from "../../../machine/agent.ts";
import { parseObject } from "../../common/json-fields.ts";
import { LineReader } from "../../common/line-reader.ts";

/** The lines of a conversation from byte `start`. A kill may have torn the last one. */
export async function readLines(
  file: string,
  start: number,
  line: (line: JsonObject) => void,
): Promise<void> {
  const lines = new LineReader({
    line: (text) => {
      const object = parseObject(text);
      if (object !== null) line(object);
    },
    tooLong: () => undefined,
  });
  for await (const chunk of createReadStream(file, { start })) lines.push(chunk as Buffer);
  lines.end();
}

/** Replaces the id of the first line: other ids are short, and quotes in texts are escaped. */
export function renamed(as: SessionId, session: SessionId): (lines: string) => string {
  return (lines) => lines.replaceAll(`"id":"${session}"`, `"id":"${as}"`);
}
