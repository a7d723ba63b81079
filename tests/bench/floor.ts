// The floor: what a program must at least do for the steps of a run, and nothing else. For each step one
// `/bin/bash FILE`, started by `child_process.spawn`, and one durable write once it has exited.
//
//   node floor.js STATE_BYTES SCRIPT STEPS [WORKER_SCRIPT WORKER_STEPS]
//
// With a worker script every step but the last starts a worker that takes WORKER_STEPS steps beside it:
// the shape of a run that forks.

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
