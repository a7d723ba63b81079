import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type DebugFiles, debugFiles, noDebug } from "../../src/log/debug-files.ts";
import { debugName, MAX_NAME_BYTES } from "../../src/log/debug-name.ts";
import { describeObserver } from "../contracts/observer.ts";
import { agent } from "../support/agents.ts";
import { run } from "../support/runs.ts";
import { samples, script, step } from "./samples.ts";
import { stillClock, tempFolder } from "./temp.ts";

function open(dir: string, warn = fail): DebugFiles {
  return debugFiles(dir, { clock: stillClock, warn });
}

function fail(message: string): void {
  throw new Error(message);
}

describeObserver(
  "debugFiles",
  async () => open(join(await tempFolder(), "wf-1")),
  async () => {
    const file = join(await tempFolder(), "file");
    await writeFile(file, "");
    return open(join(file, "wf-1"), () => undefined);
  },
);

describe("debugFiles", () => {
  it("keeps all of a prompt step in files that share a name, readable by the owner only", async () => {
    const dir = join(await tempFolder(), "debug", "wf-1");
    const debug = open(dir);
    const recorder = debug.recorder(step());
    recorder.meta({ argv: ["claude", "-p"], env: { RAYMOND_AGENT_ID: "main" } });
    recorder.prompt("Make a plan.");
    recorder.line('{"type":"system"}');
    recorder.line('{"type":"result"}');
    recorder.stderr(Buffer.from("careful\n"));
    recorder.meta({ exitCode: 0 });
    debug.notify(samples["step.ended"], run(), 1);
    await debug.close();

    expect((await readdir(dir)).sort()).toEqual([
      "main_PLAN_3.jsonl",
      "main_PLAN_3.meta.json",
      "main_PLAN_3.prompt.md",
      "main_PLAN_3.stderr.txt",
    ]);
    expect(await readFile(join(dir, "main_PLAN_3.prompt.md"), "utf8")).toBe("Make a plan.");
    expect(await readFile(join(dir, "main_PLAN_3.jsonl"), "utf8")).toBe(
      '{"type":"system"}\n{"type":"result"}\n',
    );
    expect(await readFile(join(dir, "main_PLAN_3.stderr.txt"), "utf8")).toBe("careful\n");
    const meta: unknown = JSON.parse(await readFile(join(dir, "main_PLAN_3.meta.json"), "utf8"));
    expect(meta).toMatchObject({
      run: "wf-1",
      agent: "main",
      state: "PLAN.md",
      process: 3,
      cwd: "/repo",
      session: { mode: "fresh", id: "s1" },
      argv: ["claude", "-p"],
      exit_code: 0,
      ok: true,
      duration_ms: 65_000,
      cost_usd: 0.042,
      client_version: "2.1.330",
      tokens: { cache_read: 3 },
      env: { RAYMOND_AGENT_ID: "main" },
    });
    for (const name of await readdir(dir)) {
      expect((await stat(join(dir, name))).mode & 0o777).toBe(0o600);
    }
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
  });

  it("writes one file for a script that prints nothing, and nothing before it has ended", async () => {
    const dir = join(await tempFolder(), "wf-1");
    const debug = open(dir);
    const recorder = debug.recorder(step({ file: script }));
    recorder.meta({ exit_code: 0 });
    await expect(readdir(dir)).rejects.toThrow("ENOENT");

    debug.notify({ ...samples["step.ended"], kind: "script", state: "TEST.sh" }, run(), 1);
    await debug.close();

    expect(await readdir(dir)).toEqual(["main_TEST_3.meta.json"]);
  });

  it("never writes the token that marks the processes of the run", async () => {
    const dir = join(await tempFolder(), "wf-1");
    const debug = open(dir);
    const { token } = step();
    const env = { RAYMOND_AGENT_ID: "main", RAYMOND_STEP_TOKEN: token };
    debug.recorder(step()).meta({ env });
    debug.recorder(step({ file: script, process: 4 })).meta({ environment: env });
    await debug.close();

    for (const name of ["main_PLAN_3.meta.json", "main_TEST_4.meta.json"]) {
      const text = await readFile(join(dir, name), "utf8");
      expect(text).toContain("RAYMOND_AGENT_ID");
      expect(text).not.toContain(token);
    }
  });

  it("writes out steps that have no end yet when it is closed", async () => {
    const dir = join(await tempFolder(), "wf-1");
    const debug = open(dir);
    debug.recorder(step({ file: script })).stdout(Buffer.from("half"));
    await debug.close();

    expect(await readFile(join(dir, "main_TEST_3.stdout.txt"), "utf8")).toBe("half");
  });

  it("ignores data after the end of a step", async () => {
    const dir = join(await tempFolder(), "wf-1");
    const debug = open(dir);
    const recorder = debug.recorder(step());
    debug.notify(samples["step.ended"], run(), 1);
    recorder.stdout(Buffer.from("late"));
    recorder.prompt("late");
    recorder.meta({ late: true });
    await debug.close();

    expect(await readdir(dir)).toEqual(["main_PLAN_3.meta.json"]);
    expect(await readFile(join(dir, "main_PLAN_3.meta.json"), "utf8")).not.toContain("late");
  });

  it("leaves out the middle of a long output, as a JSON line in a stream of JSON", async () => {
    const dir = join(await tempFolder(), "wf-1");
    const debug = debugFiles(dir, { clock: stillClock, warn: fail, maxOutputBytes: 1000 });
    const recorder = debug.recorder(step());
    for (let n = 0; n < 500; n += 1) {
      recorder.line(JSON.stringify({ n }));
      recorder.stdout(Buffer.from(`${String(n)}\n`));
    }
    await debug.close();

    const lines = (await readFile(join(dir, "main_PLAN_3.jsonl"), "utf8")).trimEnd().split("\n");
    const parsed = lines.map((line) => JSON.parse(line) as { n?: number; type?: string });
    expect(parsed[0]).toEqual({ n: 0 });
    expect(parsed.at(-1)).toEqual({ n: 499 });
    expect(parsed.filter((one) => one.type === "raymond.left_out")).toHaveLength(1);
    expect(await readFile(join(dir, "main_PLAN_3.stdout.txt"), "utf8")).toMatch(
      /^0\n.*\[raymond: \d+ bytes left out here\]\n.*499\n$/s,
    );
  });

  it("writes one line per transition, with its cost", async () => {
    const dir = join(await tempFolder(), "wf-1");
    const debug = open(dir);
    for (const event of [
      samples["step.ended"],
      samples["agent.reminded"],
      samples["step.ended"],
      samples["agent.moved"],
      samples["agent.forked"],
      samples["agent.ended"],
    ]) {
      debug.notify(event, run(), 1);
    }
    await debug.close();

    const at = "2026-11-21T10:30:00.000Z";
    expect(await readFile(join(dir, "transitions.log"), "utf8")).toBe(
      [
        `${at}  main  PLAN.md  reset (implied)  BUILD.md  $0.0840`,
        `${at}  main_work1  (forked by main)  start  WORK.md`,
        `${at}  main  PLAN.md  result  (end)  $0.00`,
        "",
      ].join("\n"),
    );
  });

  it("adds to the transitions of a run that is resumed", async () => {
    const dir = join(await tempFolder(), "wf-1");
    for (const event of [samples["agent.moved"], samples["agent.ended"]]) {
      const debug = open(dir);
      debug.notify(event, run(), 1);
      await debug.close();
    }

    const lines = (await readFile(join(dir, "transitions.log"), "utf8")).trimEnd().split("\n");
    expect(lines).toHaveLength(2);
  });

  it("warns once when nothing can be written, however much there is", async () => {
    const file = join(await tempFolder(), "file");
    await writeFile(file, "");
    const warnings: string[] = [];
    const debug = open(join(file, "wf-1"), (message) => {
      warnings.push(message);
    });
    for (const process of [1, 2, 3]) {
      const recorder = debug.recorder(step({ process }));
      recorder.prompt("text");
      recorder.stdout(Buffer.from("text"));
      debug.notify({ ...samples["step.ended"], process }, run(), 1);
      debug.notify(samples["agent.moved"], run(), 1);
    }
    await debug.close();

    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain(file);
  });
});

describe("noDebug", () => {
  it("ignores all calls", () => {
    expect(() => {
      noDebug.prompt("x");
      noDebug.line("x");
      noDebug.stdout(Buffer.from("x"));
      noDebug.stderr(Buffer.from("x"));
      noDebug.meta({ x: 1 });
    }).not.toThrow();
  });
});

describe("debugName", () => {
  it.each([
    ["main", "PLAN.md", 7, "main_PLAN_7"],
    ["main", "1_START.sh", 1, "main_1_START_1"],
    ["main", "Über Uns.md", 2, "main_Über-Uns_2"],
    ["main", "a/../b:c*d.bat", 3, "main_a-..-b-c-d_3"],
    ["main", "new\nline.md", 4, "main_new-line_4"],
  ])("names the files of %s at %s", (id, state, process, name) => {
    expect(debugName(agent({ id }).id, state, process)).toBe(name);
  });

  it("stays within the limit, is one plain file name, and ends with the number", () => {
    const anyName = fc.string({ unit: "binary", maxLength: 300 });
    fc.assert(
      fc.property(anyName, anyName, fc.nat(), (id, state, process) => {
        const name = debugName(id, state, process);

        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(MAX_NAME_BYTES);
        expect(name).toMatch(/^[\p{L}\p{M}\p{N}._-]+$/u);
        expect(name).not.toMatch(/^[.-]/);
        expect(name.endsWith(`_${String(process)}`)).toBe(true);
      }),
    );
  });

  it("distinguishes long names that differ only in the cut part", () => {
    const long = "x".repeat(300);

    expect(debugName(`${long}a`, "S.md", 1)).not.toBe(debugName(`${long}b`, "S.md", 1));
  });
});
