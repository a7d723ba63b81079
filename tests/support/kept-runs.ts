import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { Event } from "../../src/core/machine/event.ts";
import type { RunState } from "../../src/core/machine/run-state.ts";
import { NO_TOKENS } from "../../src/core/machine/spend.ts";
import { encodeEvent, eventLine } from "../../src/observers/event-json.ts";
import { fileStore } from "../../src/stores/file.ts";
import { tempFolder } from "./folders.ts";

type Of<T extends Event["type"]> = Extract<Event, { readonly type: T }>;

/** The start of a prompt step, but for what the test is about. */
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

/** Its end. */
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
export function said(text: string, agent = "main"): Event {
  return { type: "step.message", agent, state: "START.md", text };
}

/** The events as a log, a minute apart, from noon on. */
export function logOf(events: readonly Event[]): string {
  return events
    .map((event, at) => `${eventLine(encodeEvent(event), at + 1, NOON + at * 60_000)}\n`)
    .join("");
}

/** When the first event of {@link logOf} was told. */
export const NOON = Date.parse("2026-11-21T12:00:00.000Z");

/** A project that has a run, with this as its event log. Resolves with its folder. */
export async function keepRun(run: RunState, log: string): Promise<string> {
  const dir = await tempFolder();
  await fileStore(path.join(dir, ".raymond")).save(run, 0);
  await mkdir(runFolder(dir, run.id), { recursive: true });
  await writeFile(path.join(runFolder(dir, run.id), "events.jsonl"), log);
  return dir;
}

/** Where the run keeps its event log. */
export function runFolder(dir: string, id: string): string {
  return path.join(dir, ".raymond", "runs", id);
}
