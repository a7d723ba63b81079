import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { probeSaves } from "./fleet-probe.ts";
import type { FleetScene } from "./fleet-scene.ts";
import { manyTimes } from "./fleet-submits.ts";
import { quantile, sampleOf } from "./measure.ts";
import type { Row } from "./table.ts";
import type { TestBed } from "./test-bed.ts";

const WORKERS = 2;

/** Steps of waiting runs: scripts (processes) or simulated answers. */
export type Stepping = "scripts" | "answers";

/**
 * Concurrent runs on two workers with two waits and three steps each: duration, memory and number of statements.
 */
export async function compareWaits(
  scene: FleetScene,
  bed: TestBed,
  runs: number,
  waitS: number,
  stepping: Stepping,
): Promise<readonly Row[]> {
  const workflow = await bed.workflow(
    `waits-${String(runs)}-${stepping}`,
    WORKFLOWS[stepping](waitS),
  );
  const whole = 2 * waitS * 1000;
  // Scripts of later steps are started while other runs wait, limited by the processors.
  const first = stepping === "scripts" ? await firstSteps(scene, `${workflow}/LAST.sh`, runs) : 0;
  const withScripts = Math.max(whole + first, 3 * first);
  const idle = await probeSaves(scene, AbortSignal.timeout(3_000));
  await manyTimes(runs, 8, () => scene.submit(workflow, { simulate: stepping === "answers" }));
  const counts = await countStatements(scene);
  const slots = String(Math.ceil(runs / WORKERS) + 1);
  const workers = await Promise.all(
    Array.from({ length: WORKERS }, (_, n) => scene.worker(`waits-${String(n)}`, "--slots", slots)),
  );
  const over = new AbortController();
  const probing = probeSaves(scene, over.signal);
  const mostMs = whole + 30_000 + runs * 20;
  const { done, took, takenAfter } = await untilEnded(scene, runs, mostMs);
  over.abort();
  const busy = await probing;
  const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  console.log(
    `${String(runs)} runs: all taken after ${inSeconds(takenAfter)}, ${
      done < runs
        ? `given up after ${inSeconds(took)}, when ${String(done)} had ended`
        : `all ended after ${inSeconds(took)}`
    }`,
  );
  const statements = counts ? (await statementsSince(scene)) - busy.values.length : Number.NaN;
  const peaks = await Promise.all(workers.map((worker) => worker.peak()));
  const ended = done < runs ? Number.POSITIVE_INFINITY : took;
  const given = done < runs ? `, given up when ${String(done)} had ended` : "";
  const steps = stepping === "scripts" ? "" : " between answers from a file";
  const said = `${String(runs)} runs at once, two waits of ${String(waitS)} s${steps}${given}`;
  const seconds = (value: number) => sampleOf([value / 1000]);
  const toTheEnd = (what: string, floor: number): Row => ({
    what: `${said}: ${what}`,
    ...{ floor: seconds(floor), raymond: seconds(ended), unit: "s", target: 1.1 },
  });
  const least = "the same, against waits and the least for their scripts (a process, a commit)";
  return [
    toTheEnd("to the end of the last", whole),
    ...(stepping === "scripts" ? [toTheEnd(least, withScripts)] : []),
    {
      what: `${said}: peak memory of a worker`,
      ...{
        floor: null,
        raymond: sampleOf(peaks.map((peak) => peak / 2 ** 20)),
        unit: "MiB",
        target: 250,
      },
    },
    {
      what: `${said}: statements a step`,
      ...{
        floor: null,
        raymond: sampleOf([statements / (await stepsOf(scene))]),
        unit: "",
        target: 4,
      },
    },
    {
      what: `${said}: a save of another process meanwhile, against the same before (half of them)`,
      ...{ floor: quantile(idle, 0.5), raymond: quantile(busy, 0.5), unit: "ms", target: null },
    },
    {
      what: `${said}: the same (99 of 100)`,
      ...{
        floor: quantile(idle, 0.99),
        raymond: quantile(busy, 0.99),
        unit: "ms",
        target: null,
      },
    },
  ];
}

/** Resolves when all have ended, or after a time limit in ms. */
async function untilEnded(
  { database }: FleetScene,
  runs: number,
  mostMs: number,
): Promise<{ readonly done: number; readonly took: number; readonly takenAfter: number }> {
  const began = performance.now();
  let takenAfter = Number.NaN;
  for (;;) {
    const [row] = await database.query<{ done: number; taken: number }>(
      `SELECT count(*) FILTER (WHERE status IN ('completed', 'failed', 'stopped'))::int AS done,
              count(home)::int AS taken FROM raymond.runs`,
    );
    const [done, took] = [row?.done ?? 0, performance.now() - began];
    if (Number.isNaN(takenAfter) && (row?.taken ?? 0) >= runs) takenAfter = took;
    if (done >= runs || took > mostMs) return { done, took, takenAfter };
    await delay(200);
  }
}

const WORKFLOWS = {
  scripts: (waitS: number) => ({
    "START.sh": `echo '<goto delay="${String(waitS)}s">AGAIN</goto>'\n`,
    "AGAIN.sh": `echo '<goto delay="${String(waitS)}s">LAST</goto>'\n`,
    "LAST.sh": "echo '<result>done</result>'\n",
  }),
  answers: (waitS: number) => ({
    ...{ "START.md": "Begin.\n", "AGAIN.md": "Continue.\n", "LAST.md": "End.\n" },
    "waits.sim.yaml": `states:
  START:
    - reply: '<goto delay="${String(waitS)}s">AGAIN</goto>'
  AGAIN:
    - reply: '<goto delay="${String(waitS)}s">LAST</goto>'
  LAST:
    - reply: "<result>done</result>"
`,
  }),
} as const;

/** Minimum duration of the first step of all runs, ms, with one process per worker. */
async function firstSteps(
  { url, database }: FleetScene,
  script: string,
  runs: number,
): Promise<number> {
  await database.query("CREATE TABLE floor (n serial PRIMARY KEY)");
  const each = Math.ceil(Math.min(runs, MOST_MEASURED) / WORKERS);
  const program = path.join(import.meta.dirname, "fleet-floor.ts");
  const words = [url, script, String(each), String(4 * availableParallelism())];
  const taken = await Promise.all(
    Array.from({ length: WORKERS }, async () => {
      const args = ["--import", "tsx", program, ...words];
      return Number((await promisify(execFile)(process.execPath, args)).stdout);
    }),
  );
  return (Math.max(...taken) / (each * WORKERS)) * runs;
}

/** Sample size for the duration of a step. */
const MOST_MEASURED = 2_000;

/** Resets the statement counter. False if the server has none. */
async function countStatements({ database }: FleetScene): Promise<boolean> {
  try {
    await database.query("CREATE EXTENSION IF NOT EXISTS pg_stat_statements");
    await database.query("SELECT pg_stat_statements_reset()");
    return true;
  } catch {
    console.log("statements: not counted, for the server has no pg_stat_statements");
    return false;
  }
}

async function statementsSince({ database }: FleetScene): Promise<number> {
  const [row] = await database.query<{ calls: number }>(
    "SELECT sum(calls)::float8 AS calls FROM pg_stat_statements WHERE query !~ '^(BEGIN|COMMIT|ROLLBACK)'",
  );
  return row?.calls ?? Number.NaN;
}

async function stepsOf({ database }: FleetScene): Promise<number> {
  const [row] = await database.query<{ steps: number }>(
    "SELECT sum(steps)::float8 AS steps FROM raymond.runs WHERE placement <> '{}'",
  );
  return row?.steps ?? Number.NaN;
}
