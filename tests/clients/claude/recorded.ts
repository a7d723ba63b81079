import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RequiredServers } from "../../../src/clients/claude/output/required-servers.ts";
import { ClientStream } from "../../../src/clients/claude/output/stream.ts";
import type { Asked } from "../../../src/clients/common/asked.ts";
import type { SpendReport } from "../../../src/machine/model/spend.ts";

/** The clients whose streams were recorded (docs/claude.md says how). */
export const VERSIONS = ["2.1.197", "2.1.330"] as const;
export type Version = (typeof VERSIONS)[number];

/** How a recorded process ended. */
export interface RecordedEnd {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stderr: string;
}

const FOLDER = join(import.meta.dirname, "..", "..", "fixtures", "claude");

export function recordedBytes(version: Version, name: string): Buffer {
  return readFileSync(join(FOLDER, version, `${name}.jsonl`));
}

export function recordedEnd(version: Version, name: string): RecordedEnd {
  const ends = JSON.parse(readFileSync(join(FOLDER, version, "ends.json"), "utf8")) as Record<
    string,
    RecordedEnd
  >;
  const end = ends[name];
  if (end === undefined) throw new Error(`nothing was recorded as ${name}`);
  return end;
}

/** Reads a recorded stream. Returns its facts and its reports. */
export function readStream(
  chunks: readonly Buffer[],
  maxLineBytes?: number,
  asked?: Asked,
  required?: RequiredServers,
) {
  const reports: string[] = [];
  const lines: string[] = [];
  const spends: SpendReport[] = [];
  const sink = {
    accepted: () => reports.push("accepted"),
    spending: (spend: SpendReport) => spends.push(spend),
    message: (text: string) => reports.push(`message ${text}`),
    tool: (name: string, argument: string) => reports.push(`tool ${name} ${argument}`),
    notice: (text: string) => reports.push(`notice ${text}`),
    warning: (text: string) => reports.push(`warning ${text}`),
    line: (line: string) => lines.push(line),
    alive: () => undefined,
  };
  const stream = new ClientStream(sink, maxLineBytes, asked, null, required);
  for (const chunk of chunks) stream.push(chunk);
  stream.end();
  return { facts: stream.facts, activity: stream.activity, reports, lines, spends };
}

/** Events as a stream writes them. */
export function eventLines(...events: readonly object[]): Buffer {
  return Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(""));
}
