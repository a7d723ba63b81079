import { execFile } from "node:child_process";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { show } from "../../../src/inspect/history/show.ts";
import { why } from "../../../src/inspect/why.ts";
import { setResult } from "../../../src/run/control/set-result.ts";
import { startRun } from "../../../src/run/driven-run.ts";
import { resume } from "../../../src/run/resume.ts";
import { start } from "../../../src/run/start.ts";
import { type Caller, thisProcess } from "../../../src/wire/caller.ts";
import { tempFolder } from "../../support/folders.ts";
import { until } from "../../support/until.ts";

const ACTOR = { user: "jane", host: "build-7", via: "command" } as const;

async function project(states: Readonly<Record<string, string>>): Promise<Caller> {
  const cwd = await tempFolder();
  await mkdir(path.join(cwd, "w"));
  for (const [name, text] of Object.entries(states)) {
    await writeFile(path.join(cwd, "w", name), text, { mode: 0o755 });
  }
  return thisProcess({ cwd, env: { PATH: process.env["PATH"] }, actor: () => ACTOR });
}

const BACK = 'echo "<result>got $RAYMOND_RESULT</result>"\n';
const CALLS = "echo '<call return=\"BACK\">WORK</call>'\n";

describe("raymond set", () => {
  it("gives the result of a failed step to its caller after a resume", async () => {
    const caller = await project({
      "START.sh": CALLS,
      "WORK.sh": "echo nothing; exit 1\n",
      "BACK.sh": BACK,
    });
    expect(await start({ workflow: "w", id: "one" }, caller)).toMatchObject({ status: "failed" });
    expect((await why({ run: "one" }, caller)).setWith).toEqual([
      "raymond set one main --result TEXT",
    ]);

    const set = await setResult(
      { run: "one", agent: "main", result: "\nfine\n", reason: "API was down" },
      caller,
    );
    expect(set).toMatchObject({ outcome: "kept", state: "WORK.sh", next: "raymond resume one" });

    expect((await resume({ run: "one" }, caller)).results).toEqual({ main: "got fine" });
    const { commands } = await show({ run: "one", limit: 10 }, caller);
    expect(commands.map(({ action, actor, detail }) => [action, actor.user, detail])).toEqual([
      ["start", "jane", null],
      ["set", "jane", "API was down"],
      ["resume", "jane", null],
    ]);
  });

  it("ends a stuck script with its processes, and the run continues", async () => {
    const caller = await project({
      "START.sh": CALLS,
      "WORK.sh": "sleep 600 & echo $! > pid; wait\n",
      "BACK.sh": BACK,
    });
    const run = await startRun({ workflow: "w", id: "one" }, caller);
    const pidFile = path.join(caller.cwd, "pid");
    const pid = await until("the script", async () => {
      const text = (await readFile(pidFile, "utf8").catch(() => "")).trim();
      return text === "" ? undefined : text;
    });

    const set = await setResult({ run: "one", agent: "main", result: "fine" }, caller);

    expect(set).toMatchObject({ outcome: "received", pid: process.pid });
    expect((await run.ended()).results).toEqual({ main: "got fine" });
    // A container may have no init process that reaps it.
    const { stdout } = await promisify(execFile)("ps", ["-o", "stat=", "-p", pid]).catch(() => ({
      stdout: "Z",
    }));
    expect(stdout.trim()).toMatch(/^Z/);
  });

  it("refuses a result that does not match the schemas of its rule, its script and its call", async () => {
    const number = (most: number) => JSON.stringify({ type: "number", maximum: most });
    const caller = await project({
      "START.sh":
        "echo '<fork>SCRIPT</fork><fork>CALLER</fork><fork>PROMPT</fork><goto>FAIL</goto>'\n",
      "SCRIPT.sh": "# raymond: schema=one.schema.json\nexit 1\n",
      "CALLER.md":
        "---\nallowed_transitions:\n  - { tag: call, target: WORK, return: BACK, schema: two.schema.json }\n---\nCall.\n",
      "WORK.sh": "exit 1\n",
      "PROMPT.md":
        "---\nallowed_transitions:\n  - { tag: result, schema: one.schema.json }\n---\nFail.\n",
      "BACK.sh": BACK,
      "FAIL.sh": "exit 1\n",
      "one.schema.json": number(1),
      "two.schema.json": number(2),
      "w.sim.yaml":
        "states:\n  CALLER: [{ reply: '<call return=\"BACK\">WORK</call>' }]\n  PROMPT: [{ fail: deterministic }]\n",
    });
    await start(
      { workflow: "w", id: "one", simulate: true, settings: { keepGoing: true } },
      caller,
    );
    const set = (agent: string, result: string) => setResult({ run: "one", agent, result }, caller);

    for (const [agent, limit] of [
      ["main_script1", 1],
      ["main_caller2", 2],
      ["main_prompt3", 1],
    ] as const) {
      await expect(set(agent, "no JSON")).rejects.toMatchObject({ code: "run/set-mismatch" });
      await expect(set(agent, "3")).rejects.toMatchObject({
        code: "run/set-mismatch",
        message: expect.stringMatching(/The result must be JSON that matches .*<= \d/) as string,
      });
      expect(await set(agent, `\`\`\`json\n${String(limit)}\n\`\`\``)).toMatchObject({
        outcome: "kept",
      });
    }
    const { commands } = await show({ run: "one", limit: 10 }, caller);
    expect(commands.filter(({ action }) => action === "set")).toHaveLength(3);
  });

  it("refuses an agent that is unknown, has ended or asks, and a completed run", async () => {
    const caller = await project({
      "START.sh": "echo '<fork>ASK</fork><fork>END</fork><goto>FAIL</goto>'\n",
      "ASK.sh": "echo '<ask next=\"END\">Which?</ask>'\n",
      "END.sh": "echo '<result>end</result>'\n",
      "FAIL.sh": "exit 1\n",
    });
    await start({ workflow: "w", id: "one", settings: { keepGoing: true } }, caller);
    const set = (agent: string) => setResult({ run: "one", agent, result: "x" }, caller);

    await expect(set("other")).rejects.toMatchObject({ code: "run/unknown-agent" });
    await expect(set("main_end2")).rejects.toMatchObject({ code: "run/set-ended" });
    await expect(set("main_ask1")).rejects.toMatchObject({
      code: "run/set-asking",
      hint: "Answer it with: raymond answer one TEXT --agent main_ask1",
    });
    await expect(
      setResult({ run: "one", agent: "main", result: "a\0b" }, caller),
    ).rejects.toMatchObject({ code: "run/set-invalid" });
    await start({ workflow: "w/END.sh", id: "two" }, caller);
    await expect(
      setResult({ run: "two", agent: "main", result: "x" }, caller),
    ).rejects.toMatchObject({ code: "run/set-completed" });
  });
});
