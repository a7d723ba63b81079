import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CodexStream } from "../../../src/clients/codex/output/stream.ts";
import { RolloutReader } from "../../../src/clients/codex/rollouts/rollout-reader.ts";

const FOLDER = join(import.meta.dirname, "..", "..", "fixtures", "codex");

/** Recorded calls of 0.169.0: the output, and the conversation. */
export const RECORDED = ["tool", "rejected", "limit", "unauthorized", "interrupted"] as const;
export type Recorded = (typeof RECORDED)[number];

export function outputOf(name: Recorded): Buffer {
  return readFileSync(join(FOLDER, `${name}.jsonl`));
}

export function rolloutOf(name: Recorded): readonly string[] {
  return readFileSync(join(FOLDER, `${name}.rollout.jsonl`), "utf8").split("\n");
}

/** Reads a conversation, or the first lines of one. */
export function read(lines: readonly string[]): RolloutReader {
  const reader = new RolloutReader("mock-1");
  for (const line of lines) reader.line(line);
  return reader;
}

/** Reads a recorded call. Returns the reader and its reports. */
export function replay(name: Recorded, chunks: readonly Buffer[] = [outputOf(name)]) {
  const reports: string[] = [];
  const sink = {
    accepted: () => reports.push("accepted"),
    spending: ({ tokens }: { readonly tokens: { readonly output: number } }) =>
      reports.push(`spending ${String(tokens.output)}`),
    message: (text: string) => reports.push(`message ${text}`),
    tool: (tool: string, argument: string) => reports.push(`tool ${tool} ${argument}`),
    notice: (text: string) => reports.push(`notice ${text}`),
    line: () => undefined,
    alive: () => undefined,
  };
  const stream = new CodexStream(sink, { model: "mock-1" });
  for (const chunk of chunks) stream.push(chunk);
  for (const line of rolloutOf(name)) stream.stored(line);
  stream.end();
  return { stream, reports };
}
