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
import { setStage } from "./stage.ts";
import { sampleText, tableText } from "./table.ts";

const quick = process.argv.includes("--quick");
const scale = quick ? QUICK : FULL;
const stage = await setStage();
try {
  const starts = await compareStarts(stage, scale);
  const stateBytes = await stage.stateBytes();
  const durable = durabilityCost(stage.root, stateBytes, scale.steps);
  console.log(machineLine());
  console.log(`to make ${String(stateBytes)} bytes durable: ${sampleText(durable, "ms")}`);
  console.log("median (least–most); ratio: the median of those of each turn");
  if (quick) console.log("Only a tenth: starting weighs more here than the targets allow for.");
  console.log();
  const rows = [
    ...starts,
    ...(await compareSteps(stage, scale, stateBytes)),
    ...(await compareSleepers(stage, scale, stateBytes)),
    ...(await compareAgents(stage, scale, stateBytes)),
    ...(await compareEnded(stage, scale)),
    ...(await compareMemory(stage, scale)),
  ];
  console.log(tableText(rows));
} finally {
  await rm(stage.root, { recursive: true, force: true });
}
