import { describe, expect, it } from "vitest";
import { counter } from "../counter.ts";
import { DAY, expectSaneTimes, HOUR, STATE, timeScene, waitOf } from "./time-scene.ts";

const WORKFLOW = { "w/START.md": "Do it." };
const DONE = { say: "<result>done</result>" };
const RUN = "w --workflow-id one";
const inMs = (ms: number) => Math.ceil((Date.now() + ms) / 1000);
const jumps = counter("clock jumps");

/** Maximum duration of a test that does not wait for the clock, ms. */
const SOON_MS = HOUR / 3;

describe("a clock that is set", () => {
  it.each([
    ["forward past the reset", 2 * HOUR, DAY],
    // Long enough for a busy machine to notice the limit before it resets.
    ["back", 12_000, -DAY],
  ])("%s during the wait for a usage limit: the run continues in time", async (_, reset, jump) => {
    jumps.add();
    const resetsAt = inMs(reset);
    const here = await timeScene(WORKFLOW, [{ do: "limit", resetsAt }, DONE]);
    const started = performance.now();
    const running = here.start(RUN, here.how);
    expect((await waitOf(here)).until).toBe(new Date(resetsAt * 1000).toISOString());

    await here.set(jump);
    const status = await here.raymond("status one", here.how);
    expect(status.stdout).not.toMatch(/NaN|Invalid| -\d/);

    expect(await running.exit).toMatchObject({ exitCode: 0, stdout: "done\n" });
    expect(performance.now() - started).toBeLessThan(SOON_MS);
    await expectSaneTimes(here);
  });

  it.each([DAY, -DAY])(
    "by %i ms during a step with a timeout: the step ends by itself",
    async (jump) => {
      jumps.add(2);
      const here = await timeScene(
        {
          "w/START.md": "---\ntimeout: 60s\n---\nDo it.",
          "w/NEXT.sh":
            "# raymond: timeout=60s\nuntil [ -e go ]; do sleep 0.2; done\necho '<result>done</result>'\n",
        },
        [{ say: "<goto>NEXT</goto>", tools: [{ name: "Bash", ms: 1_500 }] }],
      );
      const running = here.start(RUN, here.how);
      await here.project.fileWith(STATE, (text) => text.includes('"accepted": true'));
      await here.set(jump);
      await here.project.fileWith(STATE, (text) => text.includes('"current_state": "NEXT.sh"'));
      await here.set(2 * jump);
      await here.project.write("go", "");

      expect(await running.exit).toMatchObject({ exitCode: 0, stdout: "done\n" });
      await expectSaneTimes(here);
    },
  );

  it.each([DAY, -DAY])(
    "by %i ms does not spare a client that hangs, nor lengthen the pause after it",
    async (jump) => {
      jumps.add();
      const here = await timeScene(WORKFLOW, [{ do: "hang" }, DONE]);
      const started = performance.now();
      const running = here.start(`${RUN} --timeout 4s`, here.how);
      await here.called(1);
      await here.set(jump);
      await running.waitForStderr(/crashed, retry 1 in/);
      await here.set(0);

      expect(await running.exit).toMatchObject({ exitCode: 0, stdout: "done\n" });
      expect(performance.now() - started).toBeLessThan(SOON_MS);
      await expectSaneTimes(here);
    },
  );

  it("back makes the pause of an outage no longer, and forward no reason to give up", async () => {
    jumps.add(2);
    const here = await timeScene(WORKFLOW, [{ do: "overload", times: 2 }, DONE]);
    const running = here.start(`${RUN} --max-outage 1h`, here.how);
    await running.waitForStderr(/outage, retry 1 in/);
    await here.set(DAY);
    await running.waitForStderr(/outage, retry 2 in/);
    await here.set(-DAY);

    expect(await running.exit).toMatchObject({ exitCode: 0, stdout: "done\n" });
    await expectSaneTimes(here);
  });

  it("back before the wait began, while no raymond ran: a resume tries at once", async () => {
    jumps.add();
    const here = await timeScene(WORKFLOW, [{ do: "limit", resetsAt: inMs(HOUR) }, DONE]);
    const first = here.start(RUN, here.how);
    const before = await waitOf(here);
    first.kill("SIGKILL");
    await first.exit;

    const waiting = here.start("--resume one", here.how);
    await waiting.waitForStderr(/still waiting: (59m|1h)/);
    expect(await waitOf(here)).toEqual(before);
    waiting.kill("SIGKILL");
    await waiting.exit;
    await here.set(-DAY);

    expect(await here.raymond("--resume one", here.how)).toMatchObject({
      exitCode: 0,
      stdout: "done\n",
    });
    await expectSaneTimes(here);
  });

  it("back during a delay, while no raymond ran: the delay takes no longer than it was to take", async () => {
    jumps.add();
    const here = await timeScene({
      "w/START.sh": `echo x >>polls
if [ "$(wc -l <polls)" -ge 2 ]; then echo "<result>seen</result>"; exit; fi
echo '<reset delay="20s">START</reset>'
`,
    });
    const started = performance.now();
    const first = here.start(RUN, here.how);
    await here.project.fileWith(STATE, (text) => text.includes('"kind": "delay"'));
    first.kill("SIGKILL");
    await first.exit;
    await here.set(-DAY);

    expect(await here.raymond("--resume one", here.how)).toMatchObject({
      exitCode: 0,
      stdout: "seen\n",
    });
    expect(performance.now() - started).toBeLessThan(SOON_MS);
    await expectSaneTimes(here);
  });

  it("back leaves list and prune sane: what ended tomorrow is not old", async () => {
    jumps.add();
    const here = await timeScene({ "w/START.sh": "echo '<result>ok</result>'\n" });
    expect((await here.raymond(RUN, here.how)).exitCode).toBe(0);
    await here.set(-DAY);

    expect((await here.raymond("list --all", here.how)).stdout).toMatch(/^one +completed/m);
    const kept = await here.raymond("prune --older-than 1h", here.how);
    expect(kept.stdout).toBe("");
    expect((await here.raymond("w", here.how)).exitCode).toBe(0);
    expect(await here.runs()).toHaveLength(2);
    await here.set(2 * HOUR);
    const pruned = await here.raymond("prune --older-than 1h", here.how);
    expect(pruned.stdout).toMatch(/^deleted +one /m);
  });
});

describe("a reset that is said by the clock on the wall", () => {
  it.each([
    ["put back", "3am", "2026-10-25T00:30:00+02:00", "2026-10-25T02:00:00.000Z"],
    [
      "put back, twice that hour",
      "2:30am",
      "2026-10-25T02:10:00+02:00",
      "2026-10-25T00:30:00.000Z",
    ],
    ["put forward", "3am", "2027-03-28T01:30:00+01:00", "2027-03-28T01:00:00.000Z"],
    [
      "put forward over that time",
      "2:30am",
      "2027-03-28T01:30:00+01:00",
      "2027-03-28T01:30:00.000Z",
    ],
  ])(
    "in the night in which it is %s, and keeps that moment in another zone",
    async (_, said, now, reset) => {
      jumps.add();
      const words = `You've hit your 5-hour limit · resets ${said}`;
      const here = await timeScene(WORKFLOW, [{ do: "limit", resetsAt: null, words }, DONE]);
      await here.setTo(Date.parse(now));
      const at = (zone: string) => ({ ...here.how, env: { ...here.how.env, TZ: zone } });
      const first = here.start(RUN, at("Europe/Berlin"));
      expect((await waitOf(here)).until).toBe(reset);
      first.kill("SIGKILL");
      await first.exit;

      const elsewhere = here.start("--resume one", at("America/New_York"));
      await elsewhere.waitForStderr(/still waiting: \d/);
      expect((await waitOf(here)).until).toBe(reset);
      await here.setTo(Date.parse(reset));

      expect(await elsewhere.exit).toMatchObject({ exitCode: 0, stdout: "done\n" });
      await expectSaneTimes(here);
    },
  );
});
