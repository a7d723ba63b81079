import { open } from "node:fs/promises";
import { objectAt, parseObject, readCount, textAt } from "../../common/json-fields.ts";

/** The end of a rollout that is searched, bytes. */
const TAIL = 256 * 1024;

/** Output tokens of the last complete answer before byte `size` of a rollout; 0 if none is found. Never rejects. */
export async function lastOutputIn(file: string, size: number): Promise<number> {
  const lines = (await tailOf(file, size).catch(() => "")).split("\n");
  const last = lines.findLast((line) => line.includes('"token_usage_record"'));
  const record = parseObject(last ?? "") ?? {};
  if (textAt(record, "type") !== "token_usage_record") return 0;
  return readCount(objectAt(objectAt(record, "payload"), "usage"), "output_tokens", 0);
}

async function tailOf(file: string, size: number): Promise<string> {
  const length = Math.min(size, TAIL);
  const handle = await open(file, "r");
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead).toString("utf8");
  } finally {
    await handle.close();
  }
}
