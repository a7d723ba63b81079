// The floor of runs that wait in a fleet: what a program must at least do for one step of each, and nothing else. For
// each one `/bin/bash SCRIPT`, and a row of its own that is committed, so many beside each other. It prints how many
// ms that took.
//
//   node --import tsx fleet-floor.ts URL SCRIPT STEPS AT_ONCE

import { spawn } from "node:child_process";
import { once } from "node:events";
import { openDatabase } from "../../src/stores/postgres/database.ts";
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
