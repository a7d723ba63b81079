import { describe, expect, it } from "vitest";
import { resultScript, scene } from "../scene.ts";

const ESCAPES = "\u001b[31mred\u001b]0;title\u0007";

describe("standard output", () => {
  it("has main's result and nothing else", async () => {
    const { raymond } = await scene(
      {
        "w/START.sh": 'echo noise\necho noise >&2\necho "<goto>ASK</goto>"\n',
        "w/ASK.md": "Ask.",
      },
      [{ before: "narration", say: "Words.\n<result>\nline 1\n\nline 2\n</result>" }],
    );

    const done = await raymond("w --verbose");

    expect(done).toMatchObject({ exitCode: 0, stdout: "line 1\n\nline 2\n" });
    expect(done.stderr).toContain("narration");
  });

  it("is empty for an empty result, and for a run that did not complete", async () => {
    const { raymond } = await scene({ "w/START.sh": 'echo "<result/>"\n', "x/START.sh": "exit 1" });

    expect(await raymond("w")).toMatchObject({ exitCode: 0, stdout: "" });
    expect(await raymond("x")).toMatchObject({ exitCode: 1, stdout: "" });
  });

  it("has one event a line with --json, in order, to the end of the run", async () => {
    const { raymond } = await scene(
      {
        "w/START.sh": 'echo "<fork next=\\"ASK\\" item=\\"7\\">WORK</fork>"\n',
        "w/WORK.sh": resultScript("$item"),
        "w/ASK.md": "Ask.",
      },
      [{ say: `${ESCAPES}\u2028<result>ok</result>`, cost: 0.25 }],
    );

    const done = await raymond("w --json --workflow-id one");

    expect(done.exitCode).toBe(0);
    const lines = done.stdout.trimEnd().split("\n");
    const events = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    for (const { at } of events) expect(at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(events[0]).toMatchObject({ type: "run.started", run: "one", state: "START.sh" });
    expect(events.at(-1)).toMatchObject({
      type: "run.ended",
      status: "completed",
      cost_usd: 0.25,
      results: { main: "ok", main_work1: "7" },
    });
    expect(done.stdout).not.toContain("\u001b");
  });

  it("ends with run.ended in --json also when the run fails", async () => {
    const { raymond } = await scene({ "w/START.sh": "exit 3" });

    const failed = await raymond("w --json --quiet");

    expect(failed.exitCode).toBe(1);
    const last = JSON.parse(failed.stdout.trimEnd().split("\n").at(-1) ?? "") as unknown;
    expect(last).toMatchObject({ type: "run.ended", status: "failed", reason: { agent: "main" } });
  });

  it("may be closed, full, or lose its reader: the run continues", async () => {
    const { bash, project } = await scene({ "w/START.sh": `echo x >>ran\n${resultScript("ok")}` });

    const ended = await bash(`
      raymond w >&-; echo $? >>codes
      raymond w >&- 2>&-; echo $? >>codes
      raymond w --json | head -1 >first; echo \${PIPESTATUS[0]} >>codes
      raymond w >/dev/full; echo $? >>codes
      raymond w 2>/dev/full; echo $? >>codes
      raymond w <&-; echo $? >>codes
      raymond w --verbose 2>&1 >/dev/null | head -1 >first2; echo \${PIPESTATUS[0]} >>codes`);

    expect(await project.read("codes")).toBe("0\n".repeat(7));
    expect(await project.read("ran")).toBe("x\n".repeat(7));
    expect(await project.read("first")).toContain('"run.started"');
    expect(ended.stdout).toBe("ok\nok\n");
  });
});

describe("the answer of a command", () => {
  it("that cannot be written is no success; a reader that has enough is none of its business", async () => {
    const { raymond, bash } = await scene({ "w/START.sh": resultScript("ok") });
    await raymond("w --workflow-id one");

    for (const command of [
      "list --all",
      "status one",
      "cost one --json",
      "help tags",
      "--help",
      "",
    ]) {
      const full = await bash(`raymond ${command} >/dev/full`);
      expect(full.exitCode, command).toBe(1);
      expect(full.stderr).toContain("error: Cannot write to standard output");
      const enough = await bash(`raymond ${command} | head -c 1 >one; exit \${PIPESTATUS[0]}`);
      expect(enough).toMatchObject({ exitCode: 0, stderr: "" });
    }
  });
});

describe("standard error", () => {
  it("shows warnings, errors and the end with --quiet, and more with --verbose", async () => {
    const { raymond } = await scene({ "w/START.sh": resultScript("ok"), "x/START.sh": "exit 3" });

    expect((await raymond("w --quiet")).stderr).toBe("completed: $0.00, 1 step\n");
    expect((await raymond("x --quiet")).stderr).toContain("exit code 3");
    const normal = (await raymond("w")).stderr;
    const verbose = (await raymond("w --verbose")).stderr;
    expect(normal).toContain("START.sh");
    expect(normal).not.toContain("process 1");
    expect(verbose).toContain("process 1");
  });

  it("shows whole messages of the model and script output with --verbose", async () => {
    const { raymond, project } = await scene(
      {
        "w/START.sh": `echo out\necho err >&2\necho "<goto>ASK</goto>"\n`,
        "w/ASK.md": "Ask.",
      },
      [{ say: "First.\n\nSecond.\n<result>ok</result>", times: 2 }],
    );

    const normal = await raymond("w");
    const verbose = await raymond("w --verbose --workflow-id one");

    expect(normal.stderr).toContain("  First. (+ 2 lines)\n");
    expect(normal.stderr).not.toMatch(/Second|std(out|err)/);
    expect(verbose.stderr).toContain("  First.\n    Second.\n    <result>ok</result>\n");
    expect(verbose.stderr).toContain("  stdout  out\n");
    expect(verbose.stderr).toContain("  stderr  err\n");
    const log = await project.read(".raymond/runs/one/events.jsonl");
    expect(log).toContain('"text":"First.\\n\\nSecond.\\n<result>ok</result>"');
    expect(log).toContain('"stream":"stderr","text":"err"');
  });

  it("shows a failure in one block: reason, last output, file, debug file, and how to continue", async () => {
    const { raymond, project } = await scene(
      {
        "w/START.sh": "echo secret door >&2; exit 3",
        "p/START.md":
          "---\nallowed_transitions: [{ tag: result }, { tag: goto, target: START }]\n---\nAsk.",
      },
      [{ say: "I am\nnot sure.", times: 4 }],
    );

    const script = await raymond("w --workflow-id one");
    const prompt = await raymond("p --quiet --workflow-id two");
    const bare = await raymond("w --quiet --no-debug --workflow-id three");

    const file = ".raymond/debug/one/main_START_1.stderr.txt";
    const block = [
      / {2}! failed: The script START\.sh failed with exit code 3 .*:/,
      / {6}secret door/,
      / {4}file: w\/START\.sh/,
      / {4}debug file: \.raymond\/debug\/one\/main_START_1\.stderr\.txt/,
      /failed: \$0\.00, 0 steps/,
      / {2}resume with: raymond resume one/,
    ];
    expect(script.stderr).toMatch(lines(block));
    expect(script.stderr.split("secret door")).toHaveLength(2);
    expect(await project.read(file)).toBe("secret door\n");
    expect(prompt.stderr).toContain(
      "last message: not sure.\n    debug file: .raymond/debug/two/main_START_4.jsonl\n",
    );
    expect(bare.stderr).toMatch(lines([...block.slice(0, 3), ...block.slice(4, 5)]));
  });

  it("cannot be both quiet and verbose", async () => {
    const { raymond, runs } = await scene({ "w/START.sh": resultScript("ok") });

    const refused = await raymond("w --quiet --verbose");

    expect(refused).toMatchObject({ exitCode: 2, stdout: "" });
    expect(refused.stderr).toContain("--quiet and --verbose contradict each other.");
    expect(await runs()).toEqual([]);
  });

  it("reports interrupted steps without a cost of zero", async () => {
    const { start } = await scene({ "w/START.sh": "echo ready >&2; sleep 30" });
    const first = start("w --verbose");
    await first.waitForStderr(/stderr {2}ready/);
    first.kill("SIGINT");

    const { stderr } = await first.exit;

    expect(stderr).toMatch(/^ {2}interrupted after \d/m);
    expect(stderr).not.toContain("failed: $");
  });

  it.each([
    ["no terminal", {}, false],
    ["NO_COLOR", { NO_COLOR: "1" }, false],
    ["FORCE_COLOR", { FORCE_COLOR: "1", NO_COLOR: "" }, true],
    ["FORCE_COLOR=0", { FORCE_COLOR: "0" }, false],
  ])("has color only if it is enabled: %s", async (_, env, colour) => {
    const { raymond } = await scene({ "w/START.sh": resultScript("ok") });

    const { stderr, stdout } = await raymond("w", { env: { NO_COLOR: "", ...env } });

    expect(stderr.includes("\u001b[")).toBe(colour);
    expect(stdout).toBe("ok\n");
  });

  it("passes on no escape sequence of a model or a script", async () => {
    const { raymond } = await scene(
      {
        "w/START.md": "Ask.",
        "w/FAIL.sh": "printf '\\033[2J\\033]0;title\\007broken\\n' >&2; exit 1",
      },
      [
        {
          say: `${ESCAPES} <goto>FAIL</goto>`,
          tools: [{ name: "Bash", input: { command: ESCAPES } }],
        },
      ],
    );

    const { stderr } = await raymond("w --verbose");

    expect(stderr).toContain("␛[31mred");
    expect(stderr).toContain("␛[2J");
    expect(controls(stderr)).toEqual([]);
  });

  it.runIf(process.platform === "linux")(
    "and standard output pass on none to a terminal either, which gets the result too",
    async () => {
      const { bash } = await scene({
        "w/START.sh": "printf '<result>\\033[2Jbold\\007\\nsecond</result>'\n",
      });

      const piped = await bash("raymond w");
      const shown = await bash('script -qec "$RAYMOND w --plain" /dev/null </dev/null');

      expect(piped.stdout).toBe("\u001b[2Jbold\u0007\nsecond\n");
      expect(shown.stdout).toContain("␛[2Jbold␇\r\nsecond\r\n");
      expect(controls(shown.stdout)).toEqual([]);
    },
  );
});

/** These lines, one after the other. */
function lines(patterns: readonly RegExp[]): RegExp {
  return new RegExp(`^${patterns.map(({ source }) => source).join("\\n")}$`, "m");
}

/** What a terminal would obey, line ends left out. */
function controls(text: string): readonly string[] {
  return text.match(/(?![\r\n])\p{Cc}/gu) ?? [];
}
