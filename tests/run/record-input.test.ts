import { appendFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { replay } from "../../src/author/replay.ts";
import type { Input } from "../../src/machine/advance.ts";
import { readJournal } from "../../src/machine/record/journal.ts";
import { recordingOf } from "../../src/machine/record/recording.ts";
import { recordInput } from "../../src/run/record-input.ts";
import { rerun } from "../../src/run/rerun.ts";
import { resume } from "../../src/run/resume.ts";
import { thisProcess } from "../../src/wire/caller.ts";
import { folderRuns } from "../../src/wire/folder-runs.ts";
import { scene } from "../author/testing/scene.ts";

const FILES = {
  "w/START.md": "Begin.",
  "w/NEXT.md": "Next.",
  "w/a.sim.yaml": `states:
  START: [{ reply: <goto>NEXT</goto>, cost: 0.1 }]
  NEXT: [{ reply: <result>end</result>, cost: 0.2 }]
`,
} as const;

const OPENED: Input = { type: "opened", agent: "main", at: 1, recalled: null };
const LEFT: Input = { type: "handed-back", agent: "main", opened: 1, said: null };

/** A run that stopped before its second step, and its store. */
async function paused() {
  const made = await scene(FILES);
  const run = await made.run("w", { maxSteps: 1 });
  expect(run.status).toBe("paused");
  const root = path.join(made.dir, ".raymond");
  const store = folderRuns(root);
  return {
    ...made,
    store,
    journal: path.join(root, "runs", "r", "journal.jsonl"),
    caller: thisProcess({ cwd: made.dir, env: process.env }),
    record: (input: Input) => recordInput(store, "r", input, Date.now()),
  };
}

describe("recordInput", () => {
  it("is journaled, so that the run can be replayed, rerun and converted to a test", async () => {
    const { record, caller, test } = await paused();

    await record(OPENED);
    await record(LEFT);

    expect(await replay({ run: "r" }, caller)).toMatchObject({ attempts: 1, divergence: null });
    const ended = await resume({ run: "r", settings: { maxSteps: 5 } }, caller);
    expect(ended.status).toBe("completed");
    expect(await replay({ run: "r" }, caller)).toMatchObject({ attempts: 2, divergence: null });
    expect(await rerun({ run: "r", from: "NEXT" }, caller)).toMatchObject({
      status: "completed",
      origin: { run: "r", step: 2 },
    });
    expect(await test({ fromRun: "r" })).toMatchObject({ code: 0 });
  });

  it("does not count as a process start", async () => {
    const { record, store, read } = await paused();

    await record(OPENED);

    const run = await store.load("r");
    const records = readJournal(await read(".raymond/runs/r/journal.jsonl"));
    expect(run !== undefined && recordingOf(records, run)).toMatchObject({
      ok: true,
      recording: { lives: 1 },
    });
  });

  it("replaces the record of a save that a crash prevented", async () => {
    const { record, store, journal, caller } = await paused();
    const run = await store.load("r");
    const undone = { save: (run?.saves ?? 0) + 1, updatedAt: "", from: null, inputs: [] };
    await appendFile(journal, `${JSON.stringify(undone)}\n`);

    await record(OPENED);
    await record(LEFT);

    expect(await replay({ run: "r" }, caller)).toMatchObject({ attempts: 1, divergence: null });
  });
});
