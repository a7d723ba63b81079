import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { rerunRun, resumeRun, startRun } from "../../../src/run/driven-run.ts";
import { type EventsOptions, type OpenedRun, openRun } from "../../../src/run/manual/opened-run.ts";
import { type Caller, thisProcess } from "../../../src/wire/caller.ts";
import { tempFolder } from "../../support/folders.ts";

/** A project with a workflow that ends, one that waits for a file, and one that asks. */
async function project(): Promise<Caller> {
  const cwd = await tempFolder();
  const files = {
    "hello/START.sh": 'echo "<result>hello $RAYMOND_RESULT</result>"',
    "wait/START.sh": '[ -e go ] || sleep 600; echo "<result>continued</result>"',
    "ask/START.sh": `echo '<ask next="DONE" options="ship | wait">Ship it?</ask>'`,
    "ask/DONE.sh": 'echo "<result>You said: $RAYMOND_RESULT</result>"',
  };
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.join(cwd, path.dirname(name)), { recursive: true });
    await writeFile(path.join(cwd, name), text);
  }
  return thisProcess({ cwd, env: { PATH: process.env["PATH"] } });
}

/** The types of its events, up to the first of this type. */
async function typesOf(
  run: OpenedRun,
  last: string | null,
  options?: EventsOptions,
): Promise<readonly string[]> {
  const types: string[] = [];
  for await (const { event } of run.events(options)) {
    types.push(event.type);
    if (event.type === last) break;
  }
  return types;
}

/** The first one is the control signal, whose default action would end the process. */
const SIGNALS = ["SIGUSR2", "SIGINT", "SIGTERM", "SIGHUP"];

afterEach(() => {
  vi.restoreAllMocks();
});

describe("startRun", () => {
  it("resolves with a run in progress, whose end can be awaited repeatedly", async () => {
    const run = await startRun({ workflow: "hello", id: "one", input: "you" }, await project());

    expect(run.id).toBe("one");
    expect(await run.ended()).toMatchObject({ results: { main: "hello you" } });
    expect((await run.ended()).status).toBe("completed");
  });

  it("refuses an invalid run without creating it", async () => {
    const caller = await project();

    await expect(startRun({ workflow: "none" }, caller)).rejects.toMatchObject({
      code: "workflow/not-found",
    });
    expect(await readdir(caller.cwd)).not.toContain(".raymond");
  });

  it("drives many runs at once, each with its own events, without terminal output", async () => {
    const out = vi.spyOn(process.stdout, "write");
    const err = vi.spyOn(process.stderr, "write");
    const warned = vi.spyOn(process, "emitWarning");
    const listening = (names: readonly string[]) =>
      names.map((name) => process.listenerCount(name));
    const before = listening(SIGNALS);
    const caller = await project();
    const ids = Array.from({ length: 12 }, (_, at) => `run-${String(at)}`);
    const runs = await Promise.all(
      ids.map((id) => startRun({ workflow: "hello", id, input: id }, caller)),
    );

    expect(listening(SIGNALS.slice(1))).toEqual(before.slice(1));
    const states = await Promise.all(runs.map((run) => run.ended()));
    expect(states.map(({ results }) => results["main"])).toEqual(ids.map((id) => `hello ${id}`));
    const [first] = runs;
    expect(first && (await typesOf(first, null)).at(-1)).toBe("run.ended");
    expect([out, err, warned].map(({ mock }) => mock.calls)).toEqual([[], [], []]);
    expect(listening(SIGNALS)).toEqual(before);
  });
});

describe("rerunRun", () => {
  it("starts a new run from a step of another run", async () => {
    const caller = await project();
    const first = await startRun({ workflow: "hello", input: "you" }, caller);
    await first.ended();
    const run = await rerunRun({ run: "latest", from: "START" }, caller);

    expect(run.id).not.toBe(first.id);
    expect((await run.ended()).results["main"]).toBe("hello you");
  });
});

describe("an opened run", () => {
  it("stops a run of this process without a signal, and resumes it", async () => {
    const caller = await project();
    const run = await startRun({ workflow: "wait" }, caller);
    expect(await typesOf(run, "step.started")).toEqual(["run.started", "step.started"]);

    const opened = await openRun({ run: run.id }, caller);
    expect(await opened.stop()).toMatchObject({ status: "interrupted", ending: "ended" });
    expect((await run.ended()).status).toBe("interrupted");
    const types = await typesOf(run, null);
    expect(types.filter((type) => type === "run.controlled")).toHaveLength(1);
    expect(types.indexOf("run.controlled")).toBeLessThan(types.indexOf("run.ended"));

    await writeFile(path.join(caller.cwd, "go"), "");
    const again = await resumeRun({ run: run.id }, caller);
    expect((await again.ended()).results["main"]).toBe("continued");
    await expect(resumeRun({ run: run.id }, caller)).rejects.toMatchObject({
      code: "run/completed",
    });
  });

  it("emits each event once, in order, from any number on", async () => {
    const run = await startRun({ workflow: "hello" }, await project());
    await run.ended();
    const seqs: number[] = [];
    for await (const { seq } of run.events()) seqs.push(seq);

    expect(seqs).toEqual(seqs.map((_, at) => at + 1));
    for (const from of [1, 3, seqs.length, seqs.length + 1]) {
      const later: number[] = [];
      for await (const { seq } of run.events({ from })) later.push(seq);
      expect(later).toEqual(seqs.slice(from - 1));
    }
  });

  it("ends the iteration when the signal aborts, also while waiting", async () => {
    const run = await startRun({ workflow: "wait" }, await project());
    const ending = new AbortController();
    const types: string[] = [];
    for await (const { event } of run.events({ signal: ending.signal })) {
      types.push(event.type);
      // No event follows until the run is stopped.
      if (event.type === "step.started")
        setImmediate(() => {
          ending.abort();
        });
    }

    expect(types.at(-1)).toBe("step.started");
    await run.stop();
  });

  it("answers its question", async () => {
    const run = await startRun({ workflow: "ask", settings: { onAsk: "wait" } }, await project());
    await typesOf(run, "agent.asked");

    await expect(run.answer("perhaps")).rejects.toMatchObject({ code: "run/not-an-option" });
    expect((await run.answer("ship")).answer).toBe("ship");
    expect((await run.ended()).results["main"]).toBe("You said: ship");
  });

  it("stores an answer if no process drives the run, and emits past events", async () => {
    const caller = await project();
    const { id } = await (await startRun({ workflow: "ask" }, caller)).ended();
    const run = await openRun({ run: "latest" }, caller);

    expect((await run.ended()).status).toBe("paused");
    expect(await typesOf(run, null)).toContain("agent.asked");
    expect((await run.answer("wait")).outcome).toBe("kept");
    const again = await resumeRun({ run: id }, caller);
    expect((await again.ended()).results["main"]).toBe("You said: wait");
  });

  it("finds the project of a run that is named by its state file", async () => {
    const caller = await project();
    const { id } = await (await startRun({ workflow: "ask" }, caller)).ended();
    const file = path.join(caller.cwd, ".raymond", "workflows", `${id}.json`);
    expect(existsSync(file)).toBe(true);
    const elsewhere = thisProcess({ cwd: await tempFolder(), env: caller.env });

    const run = await openRun({ run: file }, elsewhere);
    expect((await run.answer("ship")).outcome).toBe("kept");
    const again = await resumeRun({ run: file }, elsewhere);
    expect((await again.stop()).id).toBe(id);
  });

  it("is there", async () => {
    await expect(openRun({ run: "none" }, await project())).rejects.toMatchObject({
      code: "store/unknown-run",
    });
  });
});
