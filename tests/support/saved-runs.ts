import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { encodeEvent, eventLine } from "../../src/log/codec/event-json.ts";
import type { Event } from "../../src/machine/model/event.ts";
import type { RunState } from "../../src/machine/model/run-state.ts";
import { NO_TOKENS } from "../../src/machine/model/spend.ts";
import { fileStore } from "../../src/storage/file.ts";
import { tempFolder } from "./folders.ts";

type Of<T extends Event["type"]> = Extract<Event, { readonly type: T }>;

/** The start of a prompt step, with changes. */
export function started(process: number, changes: Partial<Of<"step.started">> = {}): Event {
  return {
    type: "step.started",
    agent: "main",
    state: "START.md",
    kind: "prompt",
    process,
    attempt: 1,
    session: "fresh",
    sessionId: "s1",
    cwd: "/repo",
    delivery: "prompt",
    ...changes,
  };
}

/** The end of a prompt step, with changes. */
export function ended(process: number, changes: Partial<Of<"step.ended">> = {}): Event {
  return {
    type: "step.ended",
    agent: "main",
    state: "START.md",
    kind: "prompt",
    process,
    ok: true,
    failure: null,
    durationMs: 2_000,
    costMicroUsd: 10_000,
    estimatedMicroUsd: 0,
    totalMicroUsd: 10_000,
    tokens: NO_TOKENS,
    model: "sonnet",
    version: "2.1.330",
    denials: [],
    context: null,
    ...changes,
  };
}

/** A message of the model. */
export function modelMessage(text: string, agent = "main"): Event {
  return { type: "step.message", agent, state: "START.md", text };
}

/** A log of these events, one per minute from noon. */
export function logOf(events: readonly Event[]): string {
  return events
    .map((event, at) => `${eventLine(encodeEvent(event), at + 1, NOON + at * 60_000)}\n`)
    .join("");
}

/** Time of the first event of {@link logOf}. */
export const NOON = Date.parse("2026-11-21T12:00:00.000Z");

/** Saves a run and its event log in a new project. Resolves with the project folder. */
export async function saveRun(run: RunState, log: string): Promise<string> {
  const dir = await tempFolder();
  await fileStore(path.join(dir, ".raymond")).save(run, 0);
  await mkdir(runFolder(dir, run.id), { recursive: true });
  await writeFile(path.join(runFolder(dir, run.id), "events.jsonl"), log);
  return dir;
}

/** The folder of the event log of a run. */
export function runFolder(dir: string, id: string): string {
  return path.join(dir, ".raymond", "runs", id);
}
