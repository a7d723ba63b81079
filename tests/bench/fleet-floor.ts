// Baseline of waiting runs in a fleet: the minimum for one step of each run. It starts `/bin/bash SCRIPT` and commits
// a row per step, AT_ONCE in parallel, and prints the duration in ms.
//
//   node --import tsx fleet-floor.ts URL SCRIPT STEPS AT_ONCE

import { spawn } from "node:child_process";
import { once } from "node:events";
import { openDatabase } from "../../src/fleet/store/database.ts";
import { manyTimes } from "./fleet-submits.ts";

const [url = "", script = "", steps = "", atOnce = ""] = process.argv.slice(2);
const database = openDatabase(url, { patienceMs: 30_000, name: "floor" });
await database.query("SELECT 1");
const began = performance.now();
await manyTimes(Number(steps), Number(atOnce), async () => {
  await once(spawn("/bin/bash", [script], { stdio: "ignore" }), "exit");
  await database.query("INSERT INTO floor DEFAULT VALUES");
});
console.log(performance.now() - began);
await database.close();
