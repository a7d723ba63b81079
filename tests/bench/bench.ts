// `npm run bench`: what raymond costs, as ratios. Each row compares it with a floor that is measured in the
// same run, on the same machine, in turns. It prints and judges; it never fails on time. `--quick`: a tenth.

import { rm } from "node:fs/promises";
import {
  compareAgents,
  compareEnded,
  compareMemory,
  compareSleepers,
  compareStarts,
  compareSteps,
  FULL,
  QUICK,
} from "./comparisons.ts";
import { durabilityCost, machineLine } from "./machine.ts";
import { sampleText, tableText } from "./table.ts";
import { makeTestBed } from "./test-bed.ts";

const quick = process.argv.includes("--quick");
const scale = quick ? QUICK : FULL;
const bed = await makeTestBed();
try {
  const starts = await compareStarts(bed, scale);
  const stateBytes = await bed.stateBytes();
  const durable = durabilityCost(bed.root, stateBytes, scale.steps);
  console.log(machineLine());
  console.log(`to make ${String(stateBytes)} bytes durable: ${sampleText(durable, "ms")}`);
  console.log("median (least–most); ratio: the median of those of each turn");
  if (quick) console.log("Only a tenth: starting weighs more here than the targets allow for.");
  console.log();
  const rows = [
    ...starts,
    ...(await compareSteps(bed, scale, stateBytes)),
    ...(await compareSleepers(bed, scale, stateBytes)),
    ...(await compareAgents(bed, scale, stateBytes)),
    ...(await compareEnded(bed, scale)),
    ...(await compareMemory(bed, scale)),
  ];
  console.log(tableText(rows));
} finally {
  await rm(bed.root, { recursive: true, force: true });
}
