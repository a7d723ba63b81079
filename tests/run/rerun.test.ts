import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { replay } from "../../src/author/replay.ts";
import { type RunState, spent } from "../../src/machine/model/run-state.ts";
import { answer } from "../../src/run/answer.ts";
import { type RerunOptions, rerun } from "../../src/run/rerun.ts";
import { planRerun } from "../../src/run/rerun-plan.ts";
import { resume } from "../../src/run/resume.ts";
import { start } from "../../src/run/start.ts";
import { type Caller, thisProcess } from "../../src/wire/caller.ts";
import { compact, scene } from "../author/testing/scene.ts";

const FORKS = {
  "w/START.md": "Begin.",
  "w/MORE.md": "More.",
  "w/CHILD.md":
    "---\nallowed_transitions: [{ tag: function, target: EVAL, return: SAID }, { tag: result }]\n---\nChild.",
  "w/EVAL.md": "---\nallowed_transitions: [{ tag: result, verify: GATE }]\n---\nEval.",
  "w/GATE.sh": "true\n",
  "w/GATE.bat": "@rem\r\n",
  "w/SAID.md": "Said {{result}}.",
  "w/BACK.md": "Back.",
  "w/SUM.md": "Sum {{input}}.",
  "w/WORK.md": "Work on {{item}}.",
  "w/REST.md": "Rest.",
  "w/a.sim.yaml": `states:
  START: [{ reply: '<fork next="MORE" item="a">WORK</fork>', cost: 0.1 }]
  MORE: [{ reply: '<call return="BACK">CHILD</call>', cost: 0.2 }]
  CHILD: [{ reply: no tag, cost: 0.4 }, { reply: '<function return="SAID">EVAL</function>', cost: 0.8 }]
  EVAL: [{ reply: <result>yes</result>, cost: 1.6 }]
  SAID: [{ reply: <result>back</result>, cost: 0.3 }]
  BACK: [{ reply: <join>SUM</join>, cost: 0.5 }]
  SUM: [{ reply: <result>all</result>, cost: 0.7 }]
  WORK: [{ reply: '<goto delay="10ms">REST</goto>', cost: 0.9 }]
  REST: [{ reply: <result>rested</result>, cost: 1.1 }]
`,
} as const;

const ASKS = {
  "w/START.md": "Begin.",
  "w/NEXT.md": "Next {{input}}.",
  "w/a.sim.yaml": `states:
  START: [{ reply: '<ask next="NEXT">Which?</ask>', cost: 0.1 }]
  NEXT: [{ reply: <goto>LAST</goto> }]
  LAST: [{ reply: <result>end</result> }]
`,
  "w/LAST.md": "Last.",
} as const;

async function ran(files: Readonly<Record<string, string>> = FORKS, settings = {}) {
  const made = await scene(files);
  const caller = thisProcess({ cwd: made.dir, env: process.env });
  const run = await made.run("w", settings);
  return { ...made, caller, run, again: againIn(caller) };
}

function againIn(caller: Caller) {
  return (from: string | number, options: Partial<RerunOptions> = {}) =>
    rerun({ run: "r", from: String(from), ...options }, caller);
}

describe("a rerun", () => {
  it("from any step reaches the same end, and costs the rest", async () => {
    const { run, again } = await ran(FORKS, { budgetMicroUsd: 20_000_000 });
    expect(run.status).toBe("completed");

    for (let step = 1; step <= run.processes; step += 1) {
      const made = await again(step);

      expect(made).toMatchObject({
        status: "completed",
        ...{ results: run.results, visits: run.visits, calls: run.calls },
        origin: { run: "r", step },
      });
      expect((made.origin?.costMicroUsd ?? 0) + spent(made)).toBe(spent(run));
    }
  });

  it("does not change its original run", async () => {
    const { dir, again } = await ran();
    const of = (name: string) => readFile(path.join(dir, ".raymond", name), "utf8");
    const files = ["workflows/r.json", "runs/r/journal.jsonl", "runs/r/events.jsonl"];
    const before = await Promise.all(files.map(of));

    await again("SAID");

    expect(await Promise.all(files.map(of))).toEqual(before);
  });

  it("uses the current workflow, and given settings over those of the run", async () => {
    const { run, write, again } = await ran(FORKS, { budgetMicroUsd: 20_000_000 });
    await write("w/a.sim.yaml", FORKS["w/a.sim.yaml"].replace("<result>all<", "<result>other<"));

    const made = await again("SUM", { settings: { budgetMicroUsd: 30_000_000 }, id: "mine" });

    expect(made).toMatchObject({ id: "mine", results: { main: "other" } });
    expect(made.settings).toEqual({ ...run.settings, budgetMicroUsd: 30_000_000 });
    expect(made.token).not.toBe(run.token);
  });

  it("starts at the last visit of a state, named with or without extension", async () => {
    const { again } = await ran(FORKS, { budgetMicroUsd: 20_000_000 });

    // A reminder enters nothing.
    const [bare, named] = [await again("CHILD"), await again("CHILD.md")];

    expect(bare.origin?.step).toBe(named.origin?.step);
    expect(bare.visits["CHILD.md"]).toBe(1);
    expect(bare.calls["CHILD.md"]).toBe(2);
  });

  it("asks its question again, without later answers", async () => {
    const { caller, run, again } = await ran(ASKS, { onAsk: "stop" });
    expect(run.status).toBe("paused");
    await answer({ run: "r", text: "this one" }, caller);
    const answered = await resume({ run: "r" }, caller);
    expect(answered.results["main"]).toBe("end");

    const asked = await again("START");
    expect(asked).toMatchObject({ status: "paused", stopReason: { class: "question" } });
    const given = await again("NEXT");
    expect(given).toMatchObject({ status: "completed", results: { main: "end" } });
  });

  it("can be rerun and replayed, and names its original run", async () => {
    const { caller, again } = await ran(FORKS, { budgetMicroUsd: 20_000_000 });
    const one = await again("SAID", { id: "one" });

    const two = await again("SUM", { run: "one" });

    expect(two).toMatchObject({ origin: { run: "one" }, results: one.results });
    expect(await replay({ run: "one" }, caller)).toMatchObject({
      divergence: null,
      beginsLater: expect.stringContaining("it is a rerun of r from step") as string,
    });
    await expect(again(1, { run: "one" })).rejects.toMatchObject({
      code: "run/step-not-recorded",
      hint: expect.stringContaining("raymond rerun r 1") as string,
    });
  });

  it("starts while the original run is in progress", async () => {
    const { dir, caller } = await ran(ASKS, { onAsk: "stop" });
    const interrupt = new AbortController();
    const settings = { onAsk: "wait" } as const;
    const control = { interrupt: interrupt.signal };
    let started: RunState | undefined;
    const ended = start(
      {
        ...{ workflow: "w", id: "live", simulate: true, settings, control },
        watch: () => [
          {
            notify: (event) => {
              if (event.type !== "agent.asked") return;
              void rerun({ run: "live", from: "START", settings: { onAsk: "stop" } }, caller)
                .then((made) => {
                  started = made;
                })
                .finally(() => {
                  interrupt.abort();
                });
            },
          },
        ],
      },
      caller,
    );

    expect(await ended).toMatchObject({ status: "interrupted" });
    expect(started).toMatchObject({ status: "paused", origin: { run: "live", step: 1 } });
    expect(await readdir(path.join(dir, ".raymond/workflows"))).toHaveLength(3);
  });

  it("edits the state before it is read", async () => {
    const { dir, again } = await ran(FORKS, { budgetMicroUsd: 20_000_000 });
    const edited: string[] = [];
    const edit = async (file: string) => {
      edited.push(file);
      await writeFile(file, "---\nallowed_transitions: [{ tag: result }]\n---\nSum again.");
    };

    const made = await again("SUM", { edit, id: "edited" });

    expect(edited).toEqual([path.join(dir, "w", "SUM.md")]);
    const prompts = (await readdir(path.join(dir, ".raymond/debug/edited"))).filter((name) =>
      name.endsWith(".prompt.md"),
    );
    expect(prompts).toHaveLength(1);
    const sent = await readFile(path.join(dir, ".raymond/debug/edited", prompts[0] ?? ""), "utf8");
    expect(sent).toBe("Sum again.");
    expect(made.status).toBe("completed");
  });
});

const REVIEWS = {
  "w/START.md":
    "---\nallowed_transitions: [{ tag: call-workflow, target: ../r.yaml, return: BACK }, { tag: result }]\n---\nBegin.",
  "w/BACK.md": "Back.",
  "w/a.sim.yaml": `states:
  START: [{ reply: '<call-workflow return="BACK">../r.yaml</call-workflow>', cost: 0.1 }]
  r.yaml/START.md: [{ reply: <goto>MORE</goto>, cost: 0.2 }]
  r.yaml/MORE.md: [{ reply: <result>ok</result>, cost: 0.4 }]
  BACK: [{ reply: <result>all</result>, cost: 0.8 }]
`,
  "r.yaml": "states:\n  START:\n    prompt: Check.\n  MORE:\n    prompt: More.\n",
} as const;

describe("a rerun within another workflow", () => {
  it("continues in the copy of the run if the original is gone", async () => {
    const { dir, run, again } = await ran(REVIEWS);
    await rm(path.join(dir, "r.yaml"));

    const made = await again("r.yaml/MORE", { id: "made" });

    expect(made).toMatchObject({ status: "completed", results: run.results });
    expect(spent(made)).toBe(1_200_000);
    // It has a copy of its own.
    await rm(path.join(dir, ".raymond/runs/r/workflows"), { recursive: true });
    expect((await again("BACK", { run: "made" })).results).toEqual(run.results);
    await expect(again("r.yaml/MORE")).rejects.toMatchObject({ code: "run/scope-gone" });
    await expect(again("MORE")).rejects.toMatchObject({
      hint: expect.stringContaining("Did you mean r.yaml/MORE?") as string,
    });
  });
});

describe("a rerun is refused, and leaves nothing", () => {
  it.each([
    ["a run that does not exist", { run: "none", from: "1" }, "store/unknown-run"],
    ["a step that it has not made", { from: "99" }, "run/unknown-step"],
    ["step 0", { from: "0" }, "run/unknown-step"],
    ["a state that is mistyped", { from: "CHLD" }, "run/never-entered"],
    ["a state that it never entered", { from: "LAST" }, "run/never-entered"],
  ])("for %s", async (_, options, code) => {
    const { dir, write, again } = await ran(FORKS, { budgetMicroUsd: 20_000_000 });
    await write("w/LAST.md", "Unreachable.");

    await expect(again(options.from, options)).rejects.toMatchObject({ code });

    expect(await readdir(path.join(dir, ".raymond/runs"))).toEqual(["r"]);
  });

  it("suggests the nearest state", async () => {
    const { again } = await ran(FORKS, { budgetMicroUsd: 20_000_000 });

    await expect(again("CHLD.md")).rejects.toMatchObject({
      hint: expect.stringContaining("Did you mean CHILD.md?") as string,
    });
    await expect(again("CHLD")).rejects.toMatchObject({
      hint: expect.stringContaining("Did you mean CHILD?") as string,
    });
  });

  it("if the workflow has lost the state, or one that an agent returns to", async () => {
    const { dir, again } = await ran(FORKS, { budgetMicroUsd: 20_000_000 });
    await rename(path.join(dir, "w/BACK.md"), path.join(dir, "w/BACKS.md"));

    await expect(again("BACK")).rejects.toMatchObject({ code: "run/state-lost" });
    await expect(again("SAID")).rejects.toMatchObject({
      code: "run/state-lost",
      message: expect.stringContaining("BACK.md") as string,
      hint: expect.stringContaining("Was it renamed to BACKS.md?") as string,
    });
    expect((await again("SUM")).status).toBe("completed");
  });

  it("if the workflow is gone", async () => {
    const { dir, again } = await ran(FORKS, { budgetMicroUsd: 20_000_000 });
    await rm(path.join(dir, "w"), { recursive: true });

    await expect(again("SUM")).rejects.toMatchObject({ code: "workflow/not-found" });
  });

  it.each([
    ["is gone", null, "it has no journal that can be read"],
    ["is of another raymond", '{"save":1,"from":{"kind":"started"}}\n', "cannot read its journal"],
    [
      "has lost its start",
      '{"save":2,"from":null,"inputs":[]}\n',
      "the start of the run is not in its journal",
    ],
  ])("if the journal %s", async (_, text, words) => {
    const { dir, write, again } = await ran(FORKS, { budgetMicroUsd: 20_000_000 });
    const journal = ".raymond/runs/r/journal.jsonl";
    if (text === null) await rm(path.join(dir, journal));
    else await write(journal, text);

    await expect(again("SUM")).rejects.toMatchObject({
      code: "run/not-recorded",
      message: expect.stringContaining(words) as string,
    });
  });

  it("if a line of the journal is truncated, or the step was compacted", async () => {
    const torn = await ran(FORKS, { budgetMicroUsd: 20_000_000 });
    const journal = ".raymond/runs/r/journal.jsonl";
    const lines = (await torn.read(journal)).split("\n");
    await torn.write(journal, lines.with(2, (lines[2] ?? "").slice(0, 20)).join("\n"));
    await expect(torn.again("SUM")).rejects.toThrow("its journal has no record of save 3");

    const whole = await ran(FORKS, { budgetMicroUsd: 20_000_000 });
    await compact(whole.dir, 5);
    await expect(whole.again(2)).rejects.toMatchObject({
      code: "run/step-not-recorded",
      message: expect.stringMatching(/compacted and starts at step \d/) as string,
    });
    await expect(whole.again("START")).rejects.toMatchObject({
      code: "run/never-entered",
      message: expect.stringMatching(
        /has not entered .* according to its record: .* compacted/,
      ) as string,
    });
    expect((await whole.again("SUM")).results).toEqual(whole.run.results);
  });

  it("without cost, if a later state is invalid", async () => {
    const { write, again } = await ran(FORKS, { budgetMicroUsd: 20_000_000 });
    await write(
      "w/SUM.md",
      "---\nallowed_transitions: [{ tag: goto, target: NOWHERE }]\n---\nSum.",
    );

    await expect(again("SUM")).rejects.toMatchObject({ code: "lint/RAY201" });
  });

  it("if the editor fails", async () => {
    const { dir, again } = await ran(FORKS, { budgetMicroUsd: 20_000_000 });
    const edit = () => Promise.reject(new Error("given up"));

    await expect(again("SUM", { edit })).rejects.toThrow("given up");
    expect(await readdir(path.join(dir, ".raymond/runs"))).toEqual(["r"]);
  });
});

it("plans the cost of the skipped steps, and writes nothing", async () => {
  const { dir, caller } = await ran(FORKS, { budgetMicroUsd: 20_000_000 });

  const { point } = await planRerun({ run: "r", from: "MORE" }, caller);

  expect(spent(point.run)).toBe(100_000);
  expect(await readdir(path.join(dir, ".raymond/runs"))).toEqual(["r"]);
});
