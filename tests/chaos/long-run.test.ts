import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, it } from "vitest";
import { scene } from "../e2e/scene.ts";
import { reportFigure, size } from "./figures.ts";

const STEPS = size("RAYMOND_STEPS", 600);
const WORKERS = Math.ceil(STEPS / 5);

interface Sample {
  readonly rssKb: number;
  readonly files: number;
  readonly stateBytes: number;
}

/** Current memory and descriptors of a process; null if it has ended, or without /proc. */
async function look(pid: number, stateFile: string): Promise<Sample | null> {
  try {
    const status = await readFile(`/proc/${String(pid)}/status`, "utf8");
    const rssKb = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]);
    const files = (await readdir(`/proc/${String(pid)}/fd`)).length;
    const stateBytes = (await readFile(stateFile)).length;
    return Number.isNaN(rssKb) ? null : { rssKb, files, stateBytes };
  } catch {
    return null;
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/**
 * Growth from the middle third of a run to the last third. Tolerances: a tenth more memory (lazy garbage collection),
 * longer numbers in the state file, a few open files of the current step.
 */
function growth(samples: readonly Sample[]): readonly string[] {
  const third = Math.floor(samples.length / 3);
  const [middle, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)];
  const bounds = [
    ["resident memory, KiB", (one: Sample) => one.rssKb, 1.1, 8_192],
    ["open files", (one: Sample) => one.files, 1, 8],
    ["bytes of the state file", (one: Sample) => one.stateBytes, 1.02, 64],
  ] as const;
  return bounds.flatMap(([what, of, factor, more]) => {
    const [before, after] = [median(middle.map(of)), median(last.map(of))];
    if (after <= before * factor + more) return [];
    return [`${what}: ${String(before)} in the middle third, ${String(after)} in the last`];
  });
}

it("a run of many steps does not leak memory or files", async (test) => {
  const here = await scene({
    "w/START.md": "Continue.",
    "w/w.sim.yaml": `states:
  START.md:
    - { reply: "<goto>START</goto>", cost: 0.0001, times: ${String(STEPS - 1)} }
    - { reply: "<result>done</result>", cost: 0 }
`,
  });
  const stateFile = path.join(here.project.dir, ".raymond/workflows/one.json");
  const line = "w --simulate --workflow-id one --budget none --quiet";
  // A small heap, so that garbage is not counted as growth.
  const env = { NODE_OPTIONS: "--max-old-space-size=24" };
  const running = here.start(line, { env, timeoutMs: 3_000_000 });
  const samples: Sample[] = [];
  const over = running.exit.then(() => true);
  while (!(await Promise.race([over, delay(25, false)]))) {
    const sample = await look(running.pid, stateFile);
    if (sample !== null) samples.push(sample);
  }
  const ended = await running.exit;
  if (samples.length === 0) return test.skip("there is no /proc here");

  const failures = growth(samples);
  await reportFigure({ what: "steps in one run", count: STEPS, failures: [...failures] });
  expect(ended).toMatchObject({ exitCode: 0, stdout: "done\n" });
  expect(await here.project.run("one")).toMatchObject({ steps: STEPS });
  expect(samples.length).toBeGreaterThan(30);
  expect(failures).toEqual([]);
});

it("the state file of a run with many ended workers has a bounded size", async () => {
  const here = await scene({
    "w/START.md": "Fork.",
    "w/WORK.md": "Work.",
    "w/w.sim.yaml": `states:
  START.md:
    - { reply: '<fork next="START">WORK</fork>', times: ${String(WORKERS)} }
    - { reply: "<result>done</result>" }
  WORK.md:
    - { reply: "<result>worked</result>", times: always }
`,
  });
  const line = "w --simulate --workflow-id one --budget none --quiet --no-debug";
  const ended = await here.raymond(line, { timeoutMs: 3_000_000 });
  expect(ended).toMatchObject({ exitCode: 0, stdout: "done\n" });

  const bytes = Buffer.byteLength(await here.project.read(".raymond/workflows/one.json"));
  // 1,000 results are kept, each smaller than this.
  const bound = 10_000 + Math.min(WORKERS + 1, 1_001) * 50;
  const failures = bytes > bound ? [`${String(bytes)} bytes, above ${String(bound)}`] : [];
  await reportFigure({ what: "workers that ended in one run", count: WORKERS, failures });
  expect(failures).toEqual([]);
});
