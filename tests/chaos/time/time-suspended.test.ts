import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { type Scene, scene } from "../../e2e/scene.ts";
import { until } from "../../support/until.ts";
import { counter } from "../counter.ts";
import { size } from "../figures.ts";
import { expectSaneTimes } from "./time-scene.ts";

const STATE = ".raymond/workflows/one.json";
const PAUSE_MS = size("RAYMOND_SUSPEND_SECONDS", 10) * 1_000;
/** Long enough to detect the start of the work. */
const WORK_MS = 4_000;
/** Between the duration of the work and the pause. */
const LIMIT = "8s";
const DONE = { say: "<result>done</result>" };
const suspensions = counter("suspensions");

interface Suspended {
  readonly what: string;
  readonly here: Scene;
  readonly line: string;
  /** Text in the state file after which it can be suspended. */
  readonly from: string;
  /** Suspend only raymond, or all its processes, as when a laptop sleeps. */
  readonly all: boolean;
  /** Expected client calls. */
  readonly calls: number;
}

/** Limits are shorter than the pause, work is shorter than the limits. */
async function suspended(): Promise<readonly Suspended[]> {
  const working = { before: "working", tools: [{ name: "Bash", ms: WORK_MS }], ...DONE };
  const prompt = { "w/START.md": "Do it." };
  const accepted = '"accepted": true';
  const resetsAt = Math.ceil((Date.now() + PAUSE_MS * 0.9) / 1000);
  return [
    {
      what: "a prompt step whose client continues",
      here: await scene(prompt, [working]),
      line: `--timeout ${LIMIT} --tool-timeout ${LIMIT}`,
      ...{ from: accepted, all: false, calls: 1 },
    },
    {
      what: "a prompt step with its client",
      here: await scene(prompt, [working]),
      line: `--timeout ${LIMIT} --tool-timeout ${LIMIT}`,
      ...{ from: accepted, all: true, calls: 1 },
    },
    {
      what: "a script step within its time",
      here: await scene({
        "w/START.sh": `sleep ${String(WORK_MS / 1000)}\necho '<result>done</result>'\n`,
      }),
      line: `--script-timeout ${LIMIT}`,
      ...{ from: '"type": "running"', all: false, calls: 0 },
    },
    {
      what: "a wait for a usage limit",
      here: await scene(prompt, [{ do: "limit", resetsAt }, DONE]),
      line: "",
      ...{ from: '"status": "waiting"', all: false, calls: 2 },
    },
  ];
}

it("continues after a suspend without terminating healthy steps", async () => {
  const cases = await suspended();
  suspensions.add(cases.length);
  const running = await Promise.all(
    cases.map(async ({ here, line, from, all }) => {
      const one = here.start(`w --workflow-id one ${line}`.trim());
      await here.project.fileWith(STATE, (text) => text.includes(from));
      const both = async () => {
        const found = await here.project.orphans();
        return found.length >= 2 ? found : undefined;
      };
      const family = all ? await until("raymond and its client", both) : [one];
      const signal = (name: NodeJS.Signals) => {
        for (const { pid } of family) process.kill(pid, name);
      };
      signal("SIGSTOP");
      await delay(PAUSE_MS);
      signal("SIGCONT");
      return one;
    }),
  );

  for (const [index, { what, here, calls }] of cases.entries()) {
    const ended = await running[index]?.exit;
    expect(ended, `${what}: ${String(ended?.stderr)}`).toMatchObject({
      exitCode: 0,
      stdout: "done\n",
    });
    expect(ended?.stderr, what).not.toMatch(/retry|silent/);
    // The first call is the one that reached the limit.
    expect(await here.calls(), what).toHaveLength(calls);
    await expectSaneTimes(here);
  }
});
