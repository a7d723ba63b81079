import { createReadStream } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";
import type { SessionId } from "../../../machine/model/agent.ts";
import { LineReader } from "../../common/output/line-reader.ts";
import { renamed } from "./rollout-store.ts";

export interface NewRollout {
  readonly session: SessionId;
  readonly file: string;
}

/**
 * Creates a conversation with a chosen id: the client resumes a rollout that has only its first line, and adds its
 * instructions and the context itself (docs/codex.md, "Conversations").
 */
export function plantRollout(
  { session, file }: NewRollout,
  { cwd, version, now }: { readonly cwd: string; readonly version: string; readonly now: number },
): Promise<void> {
  const timestamp = new Date(now).toISOString();
  const origin = { originator: "codex_exec", cli_version: version, source: "exec" };
  const payload = { id: session, timestamp, cwd, ...origin };
  return writeWhole(file, [JSON.stringify({ timestamp, type: "session_meta", payload })]);
}

/**
 * Copies a conversation to a new one. The client's own fork refers to the file of its source. Rejects if the source
 * cannot be read. A line that a kill has torn is omitted.
 */
export async function branchRollout(
  { session, file }: NewRollout,
  source: NewRollout,
): Promise<void> {
  const change = renamed(session, source.session);
  await writeWhole(file, changedLines(source.file, change));
}

async function* changedLines(
  file: string,
  change: (line: string) => string,
): AsyncGenerator<string> {
  let lines: string[] = [];
  const reader = new LineReader({ line: (text) => lines.push(text), tooLong: () => undefined });
  for await (const chunk of createReadStream(file)) {
    reader.push(chunk as Buffer);
    const complete = lines;
    lines = [];
    for (const line of complete) yield change(line);
  }
}

/** All of it or nothing, even after kill -9: a part of a conversation would be a different one. */
async function writeWhole(
  file: string,
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const part = `${file}.new`;
  try {
    const handle = await open(part, "w", 0o600);
    try {
      for await (const line of lines) await handle.appendFile(`${line}\n`);
    } finally {
      await handle.close();
    }
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true });
    throw error;
  }
}
