import { appendFile, rm } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { logsCommand } from "../../../src/cli/commands/inspect/logs.ts";
import type { Event } from "../../../src/machine/model/event.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { fileStore } from "../../../src/storage/file.ts";
import { agent } from "../../support/agents.ts";
import { run } from "../../support/runs.ts";
import {
  ended,
  logOf,
  modelMessage,
  NOON,
  runFolder,
  saveRun,
  started,
} from "../../support/saved-runs.ts";
import { testShell } from "../../support/test-shell.ts";
import { until } from "../../support/until.ts";

const RUN = run({ status: "completed", agents: [], results: { main: "x", w1: "y" } });
const END: Event = {
  type: "run.ended",
  run: RUN.id,
  status: "completed",
  reason: null,
  costMicroUsd: 10_000,
  estimatedMicroUsd: 0,
  steps: 1,
  results: {},
  denied: [],
};
const EVENTS: readonly Event[] = [
  started(1),
  modelMessage("I look."),
  ended(1),
  started(2, { agent: "w1", state: "W.md" }),
  modelMessage("I work.", "w1"),
  END,
];

type Options = Parameters<typeof logsCommand>[0];

async function logs(options: Partial<Options> = {}, log = logOf(EVENTS), of: RunState = RUN) {
  const shell = testShell(await saveRun(of, log));
  await logsCommand({ run: "latest", ...options }, { ...shell, now: () => NOON + 5 * 60_000 });
  return { out: shell.stdout(), err: shell.stderr() };
}

describe("raymond logs", () => {
  it("prints the lines of the console, with the time of each step", async () => {
    const { out } = await logs();

    expect(out).toMatch(/^\d\d:00:00 main {2}START\.md\n {2}I look\.\n/m);
    expect(out).toMatch(/^\d\d:03:00 w1 {4}W\.md$/m);
    expect(out).toMatch(/completed: \$0\.0100, 1 step\n$/);
  });

  it("prints only the given agent, and nothing older than --since", async () => {
    expect((await logs({ agent: "w1" })).out).not.toContain("I look.");
    expect((await logs({ agent: "w1" })).out).toContain("I work.");
    expect((await logs({ since: "1m30s" })).out).not.toContain("W.md");
    expect((await logs({ since: "1m30s" })).out).toContain("I work.");
  });

  it("prints the unchanged lines with --json", async () => {
    expect((await logs({ json: true })).out).toBe(logOf(EVENTS));
  });

  it("reports missing event numbers once, at their place", async () => {
    const lines = logOf(EVENTS).split("\n");
    const lacking = [lines[0], lines[3], ...lines.slice(5)].join("\n");
    const two =
      "2 events are missing here (seq 2 to 3): the process ended before it could save them.";

    const shown = await logs({}, lacking);
    expect(shown.out).toContain(`  ${two}\n`);
    expect(shown.out.indexOf(two)).toBeLessThan(shown.out.indexOf("W.md"));
    expect(shown.out).toContain("  1 event is missing here (seq 5): the process ended");
    expect(shown.out.match(/missing here/g)).toHaveLength(2);
    const scripted = await logs({ json: true }, lacking);
    expect(scripted.out).toBe(lacking);
    expect(scripted.err.split("\n")).toEqual([two, expect.stringContaining("(seq 5)"), ""]);
  });

  it("reports no gap for an unreadable or filtered line", async () => {
    const lines = logOf(EVENTS).split("\n");
    const torn = [lines[0], '{"type":"step.mess', ...lines.slice(2)].join("\n");

    for (const of of [
      await logs({}, torn),
      await logs({ since: "1m30s" }),
      await logs({ agent: "w1" }),
    ])
      expect(of.out).not.toContain("missing here");
  });

  it("counts lines that are damaged or of another version, and shows the others", async () => {
    const torn = logOf(EVENTS).replace('"kind":"prompt",', "").concat('{"type":"step.sta');
    const { out, err } = await logs({}, torn);

    expect(out).toContain("I look.");
    expect(err).toContain("2 lines of the event log were skipped");
  });

  it("prints commands only for questions and stops that are still open", async () => {
    const asked: Event = {
      ...{ type: "agent.asked", agent: "main", state: "ASK.md", number: 1, until: null },
      ...{ question: "Ship it?", options: null },
    };
    const paused: Event = { ...END, status: "paused" };
    const again: Event = { type: "run.resumed", run: RUN.id, agents: 1, backend: "claude" };

    const { out } = await logs({}, logOf([asked, paused, again, END]), { ...RUN, seq: 4 });

    expect(out).toContain("? Ship it?");
    expect(out).not.toContain("raymond answer");
  });

  it("rejects a run without an event log, and an unknown agent", async () => {
    const dir = await saveRun(RUN, "");
    await rm(path.join(runFolder(dir, RUN.id), "events.jsonl"));

    await expect(logsCommand({ run: "latest" }, testShell(dir))).rejects.toMatchObject({
      code: "run/no-event-log",
    });
    await expect(logs({ agent: "w2" })).rejects.toMatchObject({ code: "run/unknown-agent" });
  });

  it("follows a run, waits for the rest of a line, and ends when no process runs it any more", async () => {
    const [first = "", ...rest] = logOf(EVENTS).split(/(?<=\n)/);
    const dir = await saveRun(run({ agents: [agent()] }), first);
    const lock = await fileStore(path.join(dir, ".raymond")).lock(RUN.id);
    const log = path.join(runFolder(dir, RUN.id), "events.jsonl");
    const shell = testShell(dir);
    const following = logsCommand({ run: "latest", follow: true }, shell);

    await until("the first step", () =>
      Promise.resolve(shell.stdout().includes("START.md") || undefined),
    );
    await appendFile(log, rest.join("").slice(0, -20));
    await until("the second", () =>
      Promise.resolve(shell.stdout().includes("I work.") || undefined),
    );
    expect(shell.stdout()).not.toContain("completed");
    await appendFile(log, rest.join("").slice(-20));
    await lock.release();
    await following;

    expect(shell.stdout()).toContain("completed");
    expect(shell.stderr()).toContain("No process runs wf-2026-11-21-k3x9qd any more. Resume with:");
  });

  it("stops reading after its reader has closed the pipe", async () => {
    const shell = testShell(await saveRun(RUN, logOf(EVENTS).repeat(2_000)));
    const out = { ...shell.out, isClosed: () => true };
    await logsCommand({ run: "latest" }, { ...shell, out });

    expect(shell.stdout().split("\n").length).toBeLessThan(3_000);
  });
});
