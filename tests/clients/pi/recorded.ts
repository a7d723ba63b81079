import { readFileSync } from "node:fs";
import path from "node:path";
import type { StreamSink } from "../../../src/clients/common/output/agent-stream.ts";
import { PiStream } from "../../../src/clients/pi/output/stream.ts";
import type { SpendReport } from "../../../src/machine/model/spend.ts";

const FOLDER = path.join(import.meta.dirname, "..", "..", "fixtures", "pi");

/** The output of pi 0.85.1, and one of its conversations. */
export function recordedBytes(name: string): Buffer {
  return readFileSync(path.join(FOLDER, `${name}.jsonl`));
}

export function eventLines(...events: readonly object[]): Buffer {
  return Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
}

/** Reads chunks to the end. `withheld`: tools that the permissions withhold. */
export function readStream(chunks: readonly Buffer[], withheld: readonly string[] = []) {
  const reports: string[] = [];
  const lines: string[] = [];
  const spends: SpendReport[] = [];
  const report = (what: string) => reports.push(what);
  const sink: StreamSink = {
    accepted: () => report("accepted"),
    spending: (spend) => spends.push(spend),
    message: (text) => report(`message ${text}`),
    tool: (name, argument) => report(`tool ${name} ${argument}`),
    notice: (text) => report(`notice ${text}`),
    line: (line) => lines.push(line),
    alive: () => undefined,
  };
  const stream = new PiStream(sink, (tool) => withheld.includes(tool));
  for (const chunk of chunks) stream.push(chunk);
  const { activity, answering } = stream;
  stream.end();
  return { facts: stream.facts, reports, lines, spends, activity, answering, stream };
}
