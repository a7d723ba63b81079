// `npm run bench`: costs of raymond as ratios to a baseline that is measured alternately in the same run. Slow results
// are reported, they do not fail.
//   --quick         a tenth of the work
//   --json FILE     save the figures
//   --compare FILE  compare with saved figures
//   --only WORD     only matching comparisons (start, step, sleep, agent, end, memory, resume, serve, terminal)
//   --fleet         comparisons of a fleet instead (submit, claim, wait, list), with a temporary PostgreSQL
//   --runs 100,1000 --wait 20   numbers of waiting runs, and the duration of each of their two waits, seconds

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
// Report an unusable file before the benchmark takes minutes.
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
