import type { EventType } from "../../src/machine/model/event.ts";

/** Neutral values of the fields of all events. Readers ignore fields that an event does not have. */
const NEUTRAL = {
  ...{ agent: "main", run: "r", workflow: "w", state: "START.md", agents: 1 },
  ...{ kind: "prompt", process: 1, attempt: 1, session: null, session_id: null, cwd: "/" },
  ...{ delivery: "prompt", ok: true, failure: null, duration_ms: 0, cost_usd: 0 },
  ...{ estimated_usd: 0, total_usd: 0, model: null, client_version: null, denials: [] },
  ...{ tokens: { input: 0, output: 0, cache_read: 0, cache_write: 0 }, context: null },
  ...{ transition: { tag: "goto", target: "START.md" }, implied: false, dropped: 0 },
  ...{ from: "START.md", to: "START.md", worker: "main_w1", attributes: {}, result: null },
  ...{ class: "crash", problem: "", hint: null, gate: "GATE.sh", times: 1, reminder: 1 },
  ...{ number: 1, answer: "", by: { user: null, host: null, via: "command" } },
  ...{ given_at: "2026-11-22T10:00:00.000Z", status: "completed", reason: null, steps: 0 },
  ...{ results: {}, stream: "stdout", text: "" },
};

/** A line of an event log with these fields, and neutral values for the others. */
export function logLine(
  type: EventType,
  fields: object,
  { seq = 1, at = "2026-11-22T10:00:00.000Z" }: { seq?: number; at?: string } = {},
): string {
  // A step names its coding agent only if that is not the default agent of the run.
  const backend = type.startsWith("run.") ? { backend: "claude" } : {};
  return JSON.stringify({ type, seq, at, ...NEUTRAL, ...backend, ...fields });
}
