// Baseline: the minimum for the steps of a run. For each step it starts `/bin/bash FILE` with `child_process.spawn`, and
// does one durable write after the exit.
//
//   node floor.js STATE_BYTES SCRIPT STEPS [WORKER_SCRIPT WORKER_STEPS]
//
// With a worker script, every step except the last starts a concurrent worker with WORKER_STEPS steps, as a fork does.

import { spawn } from "node:child_process";
import path from "node:path";
import { writeDurably } from "./durable-write.ts";

const [bytes = "", script = "", steps = "", workerScript = "", workerSteps = "0"] =
  process.argv.slice(2);
const state = `${"x".repeat(Number(bytes) - 1)}\n`;
const stateFile = path.resolve("state.json");

const workers: Promise<void>[] = [];
for (let left = Number(steps); left > 0; left -= 1) {
  await takeStep(script);
  if (left > 1) workers.push(takeSteps(workerScript, Number(workerSteps)));
}
await Promise.all(workers);

async function takeSteps(file: string, count: number): Promise<void> {
  for (let step = 0; step < count; step += 1) await takeStep(file);
}

async function takeStep(file: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const child = spawn("/bin/bash", [file], { stdio: ["ignore", "pipe", "pipe"] });
    child.once("error", reject);
    child.once("exit", () => {
      resolve();
    });
  });
  writeDurably(stateFile, state);
}
