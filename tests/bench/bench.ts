// `npm run bench`: what raymond costs, as ratios. Each row compares it with a floor that is measured in the
// same run, on the same machine, in turns. It prints and judges; it never fails on time. `--quick`: a tenth;
// `--json FILE`: the figures into a file as well; `--compare FILE`: the ratios beside those of such a file;
// `--only WORD`: the comparisons whose name has it (start, step, sleep, agent, end, memory, resume, serve, terminal).
// `--fleet`: those of a fleet in their place (submit, claim, wait, list), on a PostgreSQL of their own; `--runs 100,1000`:
// so many runs that wait, a comparison each; `--wait 20`: for so many seconds, twice.

import { readFile, rm, writeFile } from "node:fs/promises";
import { COMPARISONS, FULL, QUICK } from "./comparisons.ts";
import { durabilityCost, machineLine } from "./machine.ts";
import { comparisonText, keptRows, type Row, rowsJson, sampleText, tableText } from "./table.ts";
import { makeTestBed } from "./test-bed.ts";
import { oneStep } from "./workflows.ts";

const value = (flag: string): string | null => {
  const at = process.argv.indexOf(flag);
  if (at === -1) return null;
  const given = process.argv[at + 1];
  if (given === undefined || given.startsWith("--")) throw new Error(`${flag} needs a value`);
  return given;
};
const quick = process.argv.includes("--quick");
const scale = quick ? QUICK : FULL;
const only = value("--only");
const keptIn = value("--json");
const compared = value("--compare");
// Whether it can be compared with is said before minutes are spent.
const earlier = compared === null ? null : keptRows(await readFile(compared, "utf8"), compared);
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
const bed = await makeTestBed();
try {
  await bed.runOnce(await bed.workflow("one-step", oneStep));
  const stateBytes = await bed.stateBytes();
  const durable = durabilityCost(bed.root, stateBytes, scale.steps);
  console.log(machineLine());
  console.log(`to make ${String(stateBytes)} bytes durable: ${sampleText(durable, "ms")}`);
  console.log("median (least–most); ratio: the median of those of each turn");
  if (quick) console.log("Only a tenth: starting weighs more here than the targets allow for.");
  console.log();
  const rows: Row[] = [];
  for (const [, compare] of comparisons) rows.push(...(await compare(bed, scale, stateBytes)));
  console.log(tableText(rows));
  if (earlier !== null) console.log(`\n${comparisonText(rows, earlier)}`);
  if (keptIn !== null) await writeFile(keptIn, `${rowsJson(rows)}\n`);
} finally {
  await rm(bed.root, { recursive: true, force: true });
}
