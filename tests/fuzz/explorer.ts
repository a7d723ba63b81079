import { closeSync, openSync, writeSync } from "node:fs";
import { inputsOf } from "./inputs.ts";
import { targetNamed } from "./targets.ts";
import { verdictOn } from "./verdict.ts";

/*
 * Reads inputs in a process of its own, so that one that never ends can be
 * ended: explorer.ts SEED MILLISECONDS PROGRESS TARGET..., with so long for
 * each target. What is read at the moment stands in the file PROGRESS; on
 * standard output comes a line of JSON for each finding, and the number of
 * inputs at the end of each target.
 */

/** Findings of one target are mostly one finding. */
const ENOUGH = 5;

function explore(argv: readonly string[]): void {
  const [seed = "", milliseconds = "", progress = "", ...names] = argv;
  const file = openSync(progress, "w");
  for (const name of names) {
    const target = targetNamed(name);
    const input = inputsOf(target, seed);
    const end = performance.now() + Number(milliseconds);
    let index = 0;
    for (let found = 0; performance.now() < end && found < ENOUGH; index += 1) {
      writeSync(file, `${JSON.stringify({ target: name, index }).padEnd(60)}\n`, 0);
      const broken = verdictOn(target, input(index));
      if (broken === null) continue;
      found += 1;
      console.log(JSON.stringify({ target: name, index, broken }));
    }
    console.log(JSON.stringify({ target: name, count: index }));
  }
  closeSync(file);
}

explore(process.argv.slice(2));
