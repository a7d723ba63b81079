import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import type { EventSource } from "../../../src/dashboard/watch/event-stream.ts";
import { runEvents } from "../../../src/dashboard/watch/run-events.ts";
import { RunWatch } from "../../../src/dashboard/watch/run-watch.ts";
import { glanceAtFiles } from "../../../src/dashboard/watch/watched-run.ts";
import { encodeEvent, eventLine } from "../../../src/log/codec/event-json.ts";
import { answer } from "../../../src/run/answer.ts";
import { prune } from "../../../src/run/prune.ts";
import { resume } from "../../../src/run/resume.ts";
import { start } from "../../../src/run/start.ts";
import { fileStore } from "../../../src/storage/file.ts";
import { type Caller, thisProcess } from "../../../src/wire/caller.ts";
import { runWithId } from "../../../src/wire/stores.ts";
import { projectWith } from "../../support/dashboard.ts";
import { tempFolder } from "../../support/folders.ts";
import { propertyRuns } from "../../support/property-runs.ts";
import { run } from "../../support/runs.ts";
import { until } from "../../support/until.ts";

interface Received {
  readonly name: string;
  readonly id: number | null;
  readonly data: unknown;
}

/** All events that a source has now. */
async function readAll(source: EventSource): Promise<readonly Received[]> {
  let text = "";
  for (;;) {
    const events = await source.next();
    text += events?.text ?? "";
    if (events === null || events.over) break;
  }
  return text
    .split("\n\n")
    .filter((each) => each !== "")
    .map((each) => {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(each)?.[1];
      const id = field("id");
      return {
        name: field("event") ?? "",
        id: id === undefined ? null : Number(id),
        data: JSON.parse(field("data") ?? "null") as unknown,
      };
    });
}

function idsOf(events: readonly Received[], name: string): readonly (number | null)[] {
  return events.filter((each) => each.name === name).map(({ id }) => id);
}

async function watchOf(id: string, root: string, caller: Caller): Promise<RunWatch> {
  const named = await runWithId(root, id, caller);
  if (named === null) throw new Error(`there is no run ${id}`);
  const found = { ...named, artifacts: await named.store.artifacts(id) };
  return new RunWatch({ ...found, glance: () => glanceAtFiles(found) });
}

/** A run whose log is written by the test. */
async function written() {
  const cwd = await tempFolder();
  const root = path.join(cwd, ".raymond");
  const state = run({ id: "one", status: "interrupted" });
  await fileStore(root).save(state, 0);
  const watch = await watchOf("one", root, thisProcess({ cwd }));
  const log = watch.of.artifacts.events;
  mkdirSync(path.dirname(log), { recursive: true });
  const saved = (status: "completed") =>
    fileStore(root).save({ ...state, status, saves: state.saves + 1 }, state.saves);
  return { watch, log, saved };
}

function line(seq: number): string {
  const where = { agent: "main", state: "START.md" } as const;
  const event = encodeEvent({ type: "step.message", ...where, text: `number ${String(seq)}` });
  return `${eventLine(event, seq, 0)}\n`;
}

describe("the events of a run", () => {
  it("contain every line once and in order, however often the client reconnects", async () => {
    const { watch, log } = await written();
    const step = fc.oneof(
      fc.record({ do: fc.constant("append" as const), count: fc.integer({ min: 1, max: 40 }) }),
      // A partial line: still being written, or truncated by a crash.
      fc.record({ do: fc.constantFrom("half" as const, "torn" as const) }),
      fc.record({ do: fc.constantFrom("read" as const, "come back" as const) }),
    );

    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.nat(20), async (steps, before) => {
        rmSync(log, { force: true });
        const expected: number[] = [];
        const received: (number | null)[] = [];
        let seq = 0;
        let rest = "";
        const write = (text: string) => {
          appendFileSync(log, text);
        };
        const append = () => {
          seq += 1;
          expected.push(seq);
          write(rest === "" ? line(seq) : rest);
          rest = "";
        };
        for (let count = 0; count < before; count += 1) append();
        expected.length = 0;
        let source = runEvents(watch, null);
        // A browser keeps the last id that it received. The first event has an id, too.
        let last = (await readAll(source)).findLast(({ id }) => id !== null)?.id ?? null;
        const listen = async () => {
          const events = await readAll(source);
          expect(idsOf(events, "reset")).toEqual([]);
          received.push(...idsOf(events, "logged"));
          last = events.findLast(({ id }) => id !== null)?.id ?? last;
        };
        for (const each of steps) {
          if (each.do === "append") for (let count = 0; count < each.count; count += 1) append();
          if (each.do === "half" && rest === "") {
            const whole = line(seq + 1);
            write(whole.slice(0, 30));
            rest = whole.slice(30);
          }
          if (each.do === "torn" && rest === "") {
            // The event is lost, and its number is never used again.
            seq += 1;
            write(`${line(seq).slice(0, 60)}\n`);
          }
          if (each.do === "read") await listen();
          if (each.do === "come back") {
            source = runEvents(watch, last === null ? null : { seq: last, received: true });
          }
        }
        await listen();
        expect(received).toEqual(expected);
      }),
      { numRuns: propertyRuns(150) },
    );
  });

  it("contain changes that another client has loaded first", async () => {
    const { watch, saved } = await written();
    const source = runEvents(watch, null);
    let calls = 0;
    const end = source.subscribe(() => {
      calls += 1;
    });
    onTestFinished(end);
    const more = (than: number) =>
      until("a call of the listener", () => Promise.resolve(calls > than || undefined));
    await more(0);
    // Reading the log in the background would notify as well.
    await watch.log();
    await readAll(source);

    const before = calls;
    await saved("completed");
    await watch.refresh();
    await more(before);

    expect(await readAll(source)).toContainEqual(
      expect.objectContaining({
        name: "changed",
        data: expect.objectContaining({ status: "completed" }) as unknown,
      }),
    );
  });

  it("continue after the end of a process, when another one resumes the run", async () => {
    const caller = await projectWith({
      "w/START.sh": 'echo "<ask next=\\"END.sh\\">Continue?</ask>"',
      "w/END.sh": 'echo "<result>$RAYMOND_RESULT</result>"',
    });
    await start({ workflow: "w", id: "one" }, caller);
    const watch = await watchOf("one", path.join(caller.cwd, ".raymond"), caller);
    const source = runEvents(watch, { seq: 0, received: false });

    const first = await readAll(source);
    await answer({ run: "one", text: "yes" }, caller);
    await resume({ run: "one" }, caller);
    await watch.refresh();
    const then = await readAll(source);

    const log = await readFile(watch.of.artifacts.events, "utf8");
    const all = log
      .trim()
      .split("\n")
      .map((each) => JSON.parse(each) as { readonly seq: number });
    const received = [...first, ...then].filter(({ name }) => name === "logged");
    expect(received.map(({ data }) => data)).toEqual(all);
    expect(received.map(({ id }) => id)).toEqual(all.map(({ seq }) => seq));
    expect(then.at(-1)).toMatchObject({ name: "changed", data: { status: "completed" } });
  });

  it("start at the end of the log for a new client", async () => {
    const { watch, log } = await written();
    writeFileSync(log, [1, 2, 3].map(line).join(""));

    const events = await readAll(runEvents(watch, null));

    expect(events.map(({ name, id }) => [name, id])).toEqual([["changed", 3]]);
  });

  it("omit events that the page has loaded, even if the log is behind the state", async () => {
    const { watch, log } = await written();
    writeFileSync(log, line(1));
    const source = runEvents(watch, { seq: 3, received: false });
    await readAll(source);

    appendFileSync(log, [2, 3, 4].map(line).join(""));

    expect(idsOf(await readAll(source), "logged")).toEqual([4]);
  });

  it.each([
    ["if the log ends before its last event", 9],
    ["if it is too far behind", 1],
  ])("reset the client %s", async (_, seq) => {
    const { watch, log } = await written();
    const long = Array.from({ length: 5 }, (__, index) =>
      line(index + 2).replace("number", "x".repeat(2 ** 20)),
    );
    writeFileSync(log, [line(1), ...(seq === 1 ? long : [])].join(""));

    const events = await readAll(runEvents(watch, { seq, received: true }));

    const end = seq === 1 ? 6 : 1;
    expect(events[0]).toEqual({ name: "reset", id: end, data: { seq: end } });
    expect(idsOf(events, "logged")).toEqual([]);
  });

  it("reset the client if the log was replaced, and continue with its first line", async () => {
    const { watch, log } = await written();
    writeFileSync(log, [1, 2, 3].map(line).join(""));
    const source = runEvents(watch, null);
    await readAll(source);

    writeFileSync(log, line(1));
    const events = await readAll(source);

    expect(events.map(({ name, id }) => [name, id])).toEqual([
      ["reset", 0],
      ["logged", 1],
    ]);
  });

  it("end with an error when the run is deleted", async () => {
    const caller = await projectWith({ "w/START.sh": 'echo "<result>done</result>"' });
    await start({ workflow: "w", id: "one" }, caller);
    const watch = await watchOf("one", path.join(caller.cwd, ".raymond"), caller);
    const source = runEvents(watch, null);
    await readAll(source);

    await prune({ runs: ["one"] }, caller);
    await watch.refresh().catch(() => undefined);

    expect(await readAll(source)).toEqual([
      {
        name: "gone",
        id: null,
        data: expect.objectContaining({ code: "store/unknown-run" }) as unknown,
      },
    ]);
  });
});
