// `npm run bench`: costs of raymond as ratios to a baseline that is measured alternately in the same run. Slow results
// are reported, they do not fail.
//   --quick          a tenth of the work
//   --only WORD      only matching comparisons (start, step, sleep, agent, end, memory, alive, resume, prompt, ...)
//   --json FILE      save the figures
//   --docs           write them into the table of docs/performance.md
//   --peer COMMAND   also measure another runner: `sh` runs COMMAND with the path of a workflow as its last argument
//   --compare BUILD  measure this build and another one alternately: a built checkout, or a git ref
//   --fleet          comparisons of a fleet instead (submit, claim, wait, list), with a temporary PostgreSQL
//   --runs 100,1000 --wait 20   numbers of waiting runs, and the duration of each of their two waits, seconds

import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { checkoutOf, HERE } from "./builds.ts";
import { type Pair, pairsOf, pairsText } from "./compare.ts";
import { COMPARISONS } from "./comparisons.ts";
import { withRows } from "./docs-table.ts";
import { durabilityCost, machineLine } from "./machine.ts";
import { FULL, oneTurn, QUICK } from "./scale.ts";
import { type Row, rowsJson, sampleText, tableText } from "./table.ts";
import { makeTestBed, type TestBed } from "./test-bed.ts";
import { oneStep } from "./workflows.ts";

const PAGE = path.join(HERE, "docs", "performance.md");
/** Turns of each build. */
const TURNS = 3;

const value = (flag: string): string | null => {
  const at = process.argv.indexOf(flag);
  if (at === -1) return null;
  const given = process.argv[at + 1];
  if (given === undefined || given.startsWith("--")) throw new Error(`${flag} needs a value`);
  return given;
};
const quick = process.argv.includes("--quick");
const inDocs = process.argv.includes("--docs");
if (quick && inDocs) throw new Error("--docs needs the whole work: omit --quick");
const scale = quick ? QUICK : FULL;
const only = value("--only");
const keptIn = value("--json");
const other = value("--compare");
const meant: typeof COMPARISONS = process.argv.includes("--fleet")
  ? (await import("./fleet.ts")).fleetComparisons({
      runs: (value("--runs") ?? (quick ? "20" : "100,1000")).split(",").map(Number),
      waitS: Number(value("--wait") ?? (quick ? "2" : "20")),
      listed: quick ? 1_000 : 100_000,
    })
  : COMPARISONS;
const comparisons = Object.entries(meant).filter(([name]) => name.includes(only ?? ""));
if (comparisons.length === 0) {
  throw new Error(`--only: none of ${Object.keys(meant).join(", ")} has ${String(only)}`);
}
await (other === null ? measure() : compareWith(other));

async function measure(): Promise<void> {
  const bed = await makeTestBed({ peer: value("--peer") });
  try {
    const stateBytes = await describe(bed);
    console.log("median (least–most); ratio: the median of those of each turn");
    if (quick) console.log("Only a tenth: starting weighs more here than the targets allow for.");
    console.log();
    const rows: Row[] = [];
    for (const [, compare] of comparisons) {
      rows.push(...(await compare(bed, scale, stateBytes)));
      // After each one: an interrupted benchmark leaves what it has measured.
      if (inDocs) await writeFile(PAGE, withRows(await readFile(PAGE, "utf8"), rows));
    }
    console.log(tableText(rows));
    if (keptIn !== null) await writeFile(keptIn, `${rowsJson(rows)}\n`);
  } finally {
    await bed.remove();
  }
}

async function compareWith(build: string): Promise<void> {
  const checkout = await checkoutOf(build);
  const beds: TestBed[] = [];
  const bedOf = async (options: Parameters<typeof makeTestBed>[0]) => {
    const bed = await makeTestBed({ ...options, noFloor: true });
    beds.push(bed);
    return bed;
  };
  try {
    const pair = { before: await bedOf({ checkout }), after: await bedOf({}) };
    const stateBytes = await describe(pair.before);
    await describe(pair.after);
    const pairs: Pair[] = [];
    for (const [, compare] of comparisons) {
      pairs.push(...(await pairsOf(compare, pair, oneTurn(scale), TURNS, stateBytes)));
    }
    console.log(`\n${pairsText(pairs, build)}`);
  } finally {
    await checkout.remove();
    for (const bed of beds) await bed.remove();
  }
}

/** Prints facts about the machine. Returns the size of a small state file, bytes. */
async function describe(bed: TestBed): Promise<number> {
  await bed.runOnce(await bed.workflow("one-step", oneStep));
  const stateBytes = await bed.stateBytes();
  const durable = durabilityCost(bed.root, stateBytes, scale.steps);
  console.log(machineLine());
  console.log(`to make ${String(stateBytes)} bytes durable: ${sampleText(durable, "ms")}`);
  return stateBytes;
}
