import { describe, expect, it } from "vitest";
import { z } from "zod";
import { until } from "../../support/until.ts";
import { type Scene, scene } from "../scene.ts";

const LOOP = "allowed_transitions: [{ tag: goto, target: START }, { tag: result }]";
const RUN = "w --simulate --workflow-id one";

/** A prompt state that goes to itself until its replies say otherwise. */
function loop(limit: string): string {
  return `---\n${LOOP}\n${limit}\n---\nContinue.\n`;
}

/** Replies of START.md: several times a goto to itself with this cost, then the result. */
function replies(times: number, cost: number): string {
  return `states:
  START.md:
    - { reply: "<goto>START</goto>", cost: ${String(cost)}, times: ${String(times)} }
    - { reply: "<result>done</result>", cost: 0 }
`;
}

const waitSchema = z.looseObject({ until: z.string(), tries: z.number() });
const waitsSchema = z.record(z.string(), waitSchema);

/** The wait in the state file, once there is one. */
async function waitOf({ project }: Scene): Promise<z.infer<typeof waitSchema>> {
  return until("the wait in the state file", async () => {
    const state = await project.run("one").catch(() => undefined);
    return Object.values(waitsSchema.parse(state?.["waits"] ?? {}))[0];
  });
}

describe("a state's own limits", () => {
  it("budget: stops the run before a visit without remaining budget, and continues once the file raises it", async () => {
    const here = await scene({
      "w/START.md": loop("budget: 0.05"),
      "w/w.sim.yaml": replies(3, 0.03),
    });

    const stopped = await here.raymond(RUN);
    expect(stopped.exitCode).toBe(4);
    expect(stopped.stderr).toMatch(
      /START\.md has used up its budget of \$0\.0500: \$0\.0600 spent/,
    );
    expect(stopped.stderr).toMatch(/raise it in .*w\/START\.md and resume/);
    expect(stopped.stderr).toContain("resume with: raymond resume one\n");
    expect(await here.project.run("one")).toMatchObject({
      status: "budget_exceeded",
      stop_reason: { class: "budget", state: "START.md" },
      steps: 2,
      agents: [{ current_state: "START.md", status: "ready" }],
    });

    const again = await here.raymond("--resume one");
    expect(again).toMatchObject({ exitCode: 4, stdout: "" });

    await here.project.write("w/START.md", loop("budget: 1"));
    const resumed = await here.raymond("--resume one");
    expect(resumed).toMatchObject({ exitCode: 0, stdout: "done\n" });
    // Each reply was received and billed once.
    expect(await here.project.run("one")).toMatchObject({ steps: 4, total_cost_usd: 0.09 });
  });

  it("max_visits: pauses the run, and each resume grants as many again", async () => {
    const here = await scene({
      "w/START.md": loop("max_visits: 2"),
      "w/w.sim.yaml": replies(5, 0.01),
    });

    const first = await here.raymond(RUN);
    expect(first.exitCode).toBe(4);
    expect(first.stderr).toContain("START.md has reached its max_visits: 2 visits.");
    expect(await here.project.run("one")).toMatchObject({
      status: "paused",
      stop_reason: { class: "step-limit", agent: "main", state: "START.md" },
      steps: 2,
    });

    const second = await here.raymond("--resume one");
    expect(second.exitCode).toBe(4);
    expect(await here.project.run("one")).toMatchObject({ steps: 4 });

    const third = await here.raymond("--resume one");
    expect(third).toMatchObject({ exitCode: 0, stdout: "done\n" });
  });

  it("max_visits: applies to scripts too", async () => {
    const here = await scene({
      "w/START.sh": "# raymond: max_visits=3\necho x >> visits\necho '<goto>START</goto>'\n",
    });

    const stopped = await here.raymond("w --workflow-id one");

    expect(stopped.exitCode).toBe(4);
    expect(await here.project.read("visits")).toBe("x\nx\nx\n");
  });
});

describe("limits of the run", () => {
  it("--max-steps: pauses after exactly this number of steps, and shows how to continue", async () => {
    const here = await scene({ "w/START.md": loop(""), "w/w.sim.yaml": replies(5, 0.01) });

    const stopped = await here.raymond(`${RUN} --max-steps 4`);
    expect(stopped.exitCode).toBe(4);
    expect(stopped.stderr).toContain("Step limit reached: 4 steps (--max-steps 4).");
    expect(stopped.stderr).toContain("resume with: raymond resume one --max-steps 8\n");

    expect((await here.raymond("--resume one")).exitCode).toBe(4);
    expect(await here.project.run("one")).toMatchObject({ status: "paused", steps: 4 });

    const resumed = await here.raymond("--resume one --max-steps 8");
    expect(resumed).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(await here.project.run("one")).toMatchObject({ status: "completed", steps: 6 });
  });

  it("--max-steps: is exact where workers step side by side", async () => {
    const here = await scene({
      "w/START.sh": `echo '<fork next="SECOND">WORK</fork>'\n`,
      "w/SECOND.sh": `echo '<fork next="WORK">WORK</fork>'\n`,
      "w/WORK.sh": "echo '<goto>WORK</goto>'\n",
    });

    const stopped = await here.raymond("w --workflow-id one --max-steps 10");

    expect(stopped.exitCode).toBe(4);
    expect(await here.project.run("one")).toMatchObject({ status: "paused", steps: 10 });
  });

  it("the budget: one warning at 80 %", async () => {
    const here = await scene({ "w/START.md": loop(""), "w/w.sim.yaml": replies(3, 0.03) });

    const ended = await here.raymond(`${RUN} --budget 0.10`);

    expect(ended.exitCode).toBe(0);
    expect(ended.stderr.match(/\$0\.09\d* of the budget of \$0\.10 is spent/g)).toHaveLength(1);
    const events = await here.project.read(".raymond/runs/one/events.jsonl");
    expect(events.match(/"type":"budget.near"/g)).toHaveLength(1);
  });
});

describe("a script that may fail", () => {
  it("is repeated, and then the state that on_error names gets the error", async () => {
    const here = await scene({
      "w/START.sh": `# raymond: retries=2 backoff=50ms on_error=FIX
echo "try $RAYMOND_ATTEMPT" >> tries
echo "no such key" >&2
exit 3
`,
      "w/FIX.sh": `printf '<result>%s</result>' "$RAYMOND_RESULT"\n`,
    });

    const ended = await here.raymond("w --workflow-id one");

    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toMatch(/^The script START\.sh failed with exit code 3 .*\n.*no such key/);
    expect(await here.project.read("tries")).toBe("try 1\ntry 2\ntry 3\n");
    expect(ended.stderr).toMatch(/retry 1 in 50ms.*retry 2 in 100ms.*on_error leads to FIX\.sh/s);
  });

  it("passes the error to a prompt as {{result}}", async () => {
    const here = await scene({
      "w/START.sh": "# raymond: on_error=FIX\nexit 3\n",
      "w/FIX.md": "What to do about this?\n{{result}}\n",
      "w/w.sim.yaml": 'states:\n  FIX.md:\n    - reply: "<result>saw: {{result}}</result>"\n',
    });

    const ended = await here.raymond(RUN);

    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toMatch(/^saw: The script START\.sh failed with exit code 3/);
  });

  it("is not executed while its on_error leads nowhere, and refused at once where a run can come to it", async () => {
    const broken = "# raymond: on_error=FIXX\ntouch executed\nexit 3\n";
    const here = await scene({
      "first/START.sh": broken,
      "first/FIX.sh": "exit 0\n",
      "later/START.sh": 'next=BUILD; echo "<goto>$next</goto>"\n',
      "later/BUILD.sh": broken,
      "later/FIX.sh": "exit 0\n",
    });

    const refused = await here.raymond("first --workflow-id one");
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toMatch(/on_error=FIXX.*FIX\.sh/s);
    expect(await here.runs()).toEqual([]);

    const failed = await here.raymond("later --workflow-id one");
    expect(failed.exitCode).toBe(1);
    expect(failed.stderr).toMatch(/BUILD\.sh:\d+:\d+: Invalid directive on_error=FIXX/);
    await expect(here.project.read("executed")).rejects.toThrow("ENOENT");
  });
});

describe("a usage limit", () => {
  const LIMITED = `states:
  START.md:
    - { fail: limit, message: "You've hit your session limit" }
    - { reply: "<result>done</result>" }
`;

  it("is waited for to the same moment after raymond was killed, and a hurry ends the wait", async () => {
    const here = await scene({ "w/START.md": loop(""), "w/w.sim.yaml": LIMITED });

    const first = here.start(RUN);
    await first.waitForStderr(/! waiting 5m 00s, until .*usage limit/);
    const wait = await waitOf(here);
    first.kill("SIGKILL");
    await first.exit;

    const second = here.start("--resume one");
    await second.waitForStderr(/still waiting: (5m 00s|4m \d\ds) left, until/);
    expect(await waitOf(here)).toEqual(wait);
    expect(await here.project.run("one")).toMatchObject({ status: "waiting", steps: 0 });
    second.kill("SIGUSR2");

    expect(await second.exit).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(await here.project.run("one")).toMatchObject({ status: "completed", waits: {} });
  });

  it("does not block scripts", async () => {
    const here = await scene({
      "w/START.sh": `echo '<fork next="POLL">ASK</fork>'\n`,
      "w/ASK.md": loop(""),
      "w/POLL.sh": `n=$(cat polls 2>/dev/null || echo 0)
echo $((n + 1)) > polls
echo '<goto>POLL</goto>'
sleep 0.1
`,
      "w/w.sim.yaml": LIMITED.replace("START.md", "ASK.md"),
    });

    const running = here.start(RUN);
    await running.waitForStderr(/! waiting 5m 00s/);
    const before = Number(await here.project.fileWith("polls", (text) => Number(text) > 0));
    await here.project.fileWith("polls", (text) => Number(text) > before + 2);
    running.kill("SIGINT");

    expect((await running.exit).exitCode).toBe(130);
    expect((await waitOf(here)).tries).toBe(1);
  });

  it.each([
    ["--no-wait", /session limit/],
    ["--max-wait 1m", /wait of 5m 00s exceeds --max-wait 1m 00s/],
  ])(
    "pauses a run with %s, which a resume repeats until the reset is near",
    async (flag, words) => {
      const here = await scene({ "w/START.md": loop(""), "w/w.sim.yaml": LIMITED });

      const paused = await here.raymond(`${RUN} ${flag}`);
      expect(paused.exitCode).toBe(5);
      expect(paused.stderr).toMatch(words);
      const wait = await waitOf(here);

      expect((await here.raymond("--resume one")).exitCode).toBe(5);
      expect(await waitOf(here)).toEqual(wait);
      expect(await here.project.run("one")).toMatchObject({
        status: "paused",
        stop_reason: { class: "limit" },
      });
    },
  );
});

describe("an outage", () => {
  it("is tried again at once by a hurry", async () => {
    const here = await scene({
      "w/START.md": loop(""),
      "w/w.sim.yaml": `states:
  START.md:
    - { fail: outage, times: 2 }
    - { reply: "<result>done</result>" }
`,
    });

    const running = here.start(RUN);
    await running.waitForStderr(/outage, retry 1/);
    running.kill("SIGUSR2");
    await running.waitForStderr(/outage, retry 2/);
    running.kill("SIGUSR2");

    expect(await running.exit).toMatchObject({ exitCode: 0, stdout: "done\n" });
  });
});
