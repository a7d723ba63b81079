import { writeFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readHistoryFile } from "../../src/log/event-history.ts";
import type { EventType } from "../../src/machine/model/event.ts";
import { tempFolder } from "../support/folders.ts";
import { readHistory } from "../support/history.ts";
import { logLine } from "../support/log-line.ts";

const at = "2026-11-22T02:36:23.377Z";
const line = (type: EventType, seq: number, rest: object) => logLine(type, rest, { seq, at });
const LOG = [
  line("run.started", 1, { run: "one", workflow: "/repo/w", state: "START.md", simulated: false }),
  line("step.started", 2, { agent: "main", state: "START.md", process: 1 }),
  line("step.ended", 3, { agent: "main", state: "START.md", cost_usd: 0.1, total_usd: 0.1 }),
  line("agent.forked", 4, { agent: "main", worker: "main_w1", state: "WORK.sh" }),
  line("agent.moved", 5, { agent: "main", from: "START.md", to: "NEXT.md" }),
  line("agent.ended", 6, { agent: "main_w1", state: "WORK.sh", result: "done" }),
  line("step.ended", 7, { agent: "main", state: "NEXT.md", cost_usd: 0.2, total_usd: 0.3 }),
  line("agent.failed", 8, { agent: "main", state: "NEXT.md", class: "crash", problem: "It died." }),
];

describe("readHistory", () => {
  it("reports the last state of each agent, its end and its cost", () => {
    const history = readHistory(LOG.join("\n"));

    expect(history).toMatchObject({ workflow: "/repo/w", until: at, attempts: 2, totalUsd: 0.3 });
    expect([...(history?.agents ?? [])]).toEqual([
      ["main", { state: "NEXT.md", ended: false, result: null, problem: "It died." }],
      ["main_w1", { state: "WORK.sh", ended: true, result: "done", problem: null }],
    ]);
  });

  it("contains the problem of a worker whose failure was reported", () => {
    const main_w1 = { agent: "main_w1", state: "WORK.sh" };
    const log = [
      line("agent.failed", 1, { ...main_w1, class: "crash", problem: "It died." }),
      line("agent.ended", 2, { ...main_w1, result: null }),
    ];

    expect(readHistory(log.join("\n"))?.agents.get("main_w1")).toEqual({
      ...{ state: "WORK.sh", ended: true, result: null, problem: "It died." },
    });
  });

  it("skips torn lines, and returns null for a file without events", () => {
    const torn = `${LOG.slice(0, 5).join("\n")}\n${(LOG[5] ?? "").slice(0, 40)}`;

    expect(readHistory(torn)?.agents.get("main_w1")).toMatchObject({ state: "WORK.sh" });
    expect(readHistory("")).toBeNull();
    expect(readHistory("\0\0\0 {} null 3\n[]\n")).toBeNull();
  });

  it("reads a file of many blocks whose last line is torn", async () => {
    const rest = { agent: "main", state: "START.md" };
    const events = Array.from({ length: 4_000 }, (_, at) => [
      line("step.started", 3 * at, {
        ...rest,
        process: at,
        session_id: `s${String(at)}`,
        cwd: "/",
      }),
      line("step.output", 3 * at + 1, { ...rest, stream: "stdout", text: "x".repeat(at % 300) }),
      line("step.ended", 3 * at + 2, { ...rest, process: at, client_version: "2", total_usd: at }),
    ]).flat();
    const file = path.join(await tempFolder(), "events.jsonl");
    await writeFile(file, `${events.join("\n")}\n${(events[0] ?? "").slice(0, 50)}`);

    expect(readHistoryFile(file)).toEqual(readHistory(events.join("\n")));
    expect(readHistoryFile(file)?.attempts).toBe(4_000);
  });

  it.each([
    ["process", "1"],
    ["total_usd", null],
    ["tokens", { input: 1, output: 1, cache_read: 1 }],
    ["denials", [{ tool: "Bash" }]],
    ["context", { tokens: "many", window: null }],
    ["agent", 3],
  ])("skips a line with a wrong %s", (key, value) => {
    const good = { agent: "main", state: "A.md", process: 1, cost_usd: 0.1 };

    expect(readHistory(line("step.ended", 1, good))?.attempts).toBe(1);
    expect(readHistory(line("step.ended", 1, { ...good, [key]: value }))).toBeNull();
  });

  it("reads any text without an error, and any prefix of a log", () => {
    fc.assert(fc.property(fc.string(), (text) => void readHistory(text)));
    fc.assert(
      fc.property(fc.nat({ max: LOG.join("\n").length }), (end) => {
        const history = readHistory(LOG.join("\n").slice(0, end));
        const whole = readHistory(LOG.join("\n"));
        expect(history?.attempts ?? 0).toBeLessThanOrEqual(whole?.attempts ?? 0);
        expect(history?.totalUsd ?? 0).toBeLessThanOrEqual(whole?.totalUsd ?? 0);
      }),
    );
  });
});
