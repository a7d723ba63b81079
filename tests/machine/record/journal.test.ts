import { describe, expect, it } from "vitest";
import { resumeRun } from "../../../src/engine/resume.ts";
import { startRun } from "../../../src/engine/start.ts";
import {
  type JournalRecord,
  readJournal,
  replayJournal,
} from "../../../src/machine/record/journal.ts";
import { modelReply, type Script, world } from "../../support/engine/worlds.ts";
import { settings } from "../../support/runs.ts";

const OPTIONS = {
  id: "wf-2026-11-21-k3x9qd",
  token: "t0",
  backend: "claude",
  input: "hello",
  workflow: { kind: "folder", path: "/repo/workflow", entry: "START.md" },
  ...{ scopeDir: "/repo/workflow", launchDir: "/repo", at: 0, attributes: { item: "7" } },
  settings: settings(),
} as const;

const STATES: Readonly<Record<string, Script>> = {
  "START.md": '<fork next="NEXT" item="1">WORKER</fork>',
  "WORKER.md": "<result>worked</result>",
  "NEXT.md": "<result>done</result>",
};

async function ran() {
  const here = world(STATES);
  const end = await startRun(OPTIONS, here.engine, here.control);
  return { end, journal: here.journal, saves: here.saves };
}

const lines = (records: readonly unknown[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

describe("the journal of a run", () => {
  it("folds to the state of every save", async () => {
    const { journal, saves } = await ran();

    expect(saves.length).toBeGreaterThan(3);
    for (const saved of saves) {
      expect(replayJournal(journal, saved.saves)).toEqual({ ok: true, run: saved });
    }
  });

  it("is the same when it was written down and read back", async () => {
    const { journal, end } = await ran();

    const records = readJournal(lines(journal));

    expect(replayJournal(records, end.saves)).toEqual({ ok: true, run: end });
  });

  it("counts events without a state change, and does not record them", async () => {
    const here = world({
      "START.md": (step, _, listener) => {
        for (const word of ["one", "two", "three"]) listener.message(word);
        return modelReply(step, "<result>done</result>");
      },
    });

    const end = await startRun(OPTIONS, here.engine, here.control);

    expect(here.events.filter(({ type }) => type === "step.message")).toHaveLength(3);
    expect(here.numbers).toEqual(here.events.map((_, index) => index + 1));
    expect(end.seq).toBe(here.events.length);
    expect(replayJournal(here.journal, end.saves)).toEqual({ ok: true, run: end });
    const counts = here.journal.flatMap(({ inputs }) =>
      inputs.filter(({ type }) => type === "reported"),
    );
    expect(counts).toEqual([
      { type: "reported", count: 1 },
      { type: "reported", count: 3 },
    ]);
  });

  it("reuses no event number that was emitted after the last save before a crash", async () => {
    const { saves } = await ran();
    const [found] = saves;
    if (found === undefined) throw new Error("there was a save");
    const second = world(STATES, { lastEventSeq: () => Promise.resolve(50) });
    const end = await resumeRun(found, {}, second.engine, second.control);

    expect(second.numbers).toEqual(second.events.map((_, index) => 51 + index));
    expect(end.seq).toBe(second.numbers.at(-1));
    expect(replayJournal(second.journal, end.saves)).toEqual({ ok: true, run: end });
  });

  it("continues from the event number of the state if it is later than the log", async () => {
    const { saves } = await ran();
    const found = saves.at(-2);
    if (found === undefined) throw new Error("there were two saves");
    const second = world(STATES, { lastEventSeq: () => Promise.resolve(1) });
    await resumeRun(found, {}, second.engine, second.control);

    expect(second.numbers[0]).toBe(found.seq + 1);
  });

  it("starts again from the state that a resume has loaded", async () => {
    const limited = { ...OPTIONS, settings: settings({ maxSteps: 1 }) };
    const first = world(STATES);
    const stopped = await startRun(limited, first.engine, first.control);
    const second = world(STATES);
    const end = await resumeRun(stopped, { maxSteps: null }, second.engine, second.control);

    expect(end.status).toBe("completed");
    const both = [...first.journal, ...second.journal];
    expect(replayJournal(both, end.saves)).toEqual({ ok: true, run: end });
    // What was lost before it does not matter.
    expect(replayJournal(second.journal, end.saves)).toEqual({ ok: true, run: end });
  });

  it("uses the later of two records of a save: a crash undid the first", async () => {
    const { journal, saves } = await ran();
    const [found] = saves.slice(-2);
    if (found === undefined) throw new Error("there were two saves");
    const second = world(STATES);
    const end = await resumeRun(found, {}, second.engine, second.control);
    expect(second.journal[0]?.save).toBe(journal.at(-1)?.save);

    expect(replayJournal([...journal, ...second.journal], end.saves)).toEqual({
      ok: true,
      run: end,
    });
  });

  it("ignores records of a process that had lost the run: its saves were refused", async () => {
    const limited = { ...OPTIONS, settings: settings({ maxSteps: 1 }) };
    const first = world(STATES);
    const stopped = await startRun(limited, first.engine, first.control);
    const second = world(STATES);
    const end = await resumeRun(stopped, { maxSteps: null }, second.engine, second.control);
    const stray: JournalRecord = {
      ...{ save: stopped.saves + 1, updatedAt: end.updatedAt, from: null },
      inputs: [{ type: "retry-now", at: 1 }],
    };
    const [resumed, ...later] = second.journal;
    if (resumed === undefined) throw new Error("there is a record of the resume");

    const journal = [...first.journal, resumed, stray, ...later];

    expect(replayJournal(journal, end.saves)).toEqual({ ok: true, run: end });
    expect(replayJournal(journal, resumed.save)).toMatchObject({
      run: { updatedAt: resumed.updatedAt },
    });
  });

  it("skips a line that was torn, and names the save that it lacks then", async () => {
    const { journal, end } = await ran();
    const text = lines(journal).split("\n");
    const torn = [...text.slice(0, 2), (text[2] ?? "").slice(0, 20), ...text.slice(3)].join("\n");

    const records = readJournal(torn);

    expect(replayJournal(records, 2)).toMatchObject({ ok: true });
    expect(replayJournal(records, end.saves)).toEqual({
      ok: false,
      problem: `The journal has no record of save 3, so save ${String(end.saves)} cannot be replayed.`,
    });
  });

  it("cannot be replayed if it is empty or has no record", () => {
    expect(readJournal('\n7\nnull\n{"a":1}\n')).toEqual([]);
    expect(replayJournal([], 1).ok).toBe(false);
  });
});
