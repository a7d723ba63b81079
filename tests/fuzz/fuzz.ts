import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { fuzz } from "./campaign.ts";
import { TARGETS, targetNamed } from "./targets.ts";
import { verdictOn } from "./verdict.ts";

/*
 * `npm run fuzz -- [minutes] [target] [--seed TEXT]`: reads mutations of the
 * corpus for so long in all (1 minute), and ends with 1 where a promise was
 * broken. `npm run fuzz -- --replay FILE` reads one input again; its folder
 * is named by the target.
 */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { seed: { type: "string" }, replay: { type: "string" } },
  });
  if (values.replay !== undefined) return replay(values.replay);

  const numbers = positionals.filter((word) => /^\d+(?:\.\d+)?$/.test(word));
  const names = positionals.filter((word) => !numbers.includes(word));
  const targets = names.length === 0 ? TARGETS : names.map(targetNamed);
  // To start the process takes a part of the time.
  const ms = (Number(numbers[0] ?? 1) * 60_000 - 2_000) / targets.length;
  const seed = values.seed ?? randomBytes(4).toString("hex");
  console.log(`seed ${seed}`);
  const harvests = await fuzz({ targets: targets.map(({ name }) => name), seed, ms });
  for (const { target, count, findings } of harvests) {
    const figure = count.toLocaleString("en-US").padStart(11);
    console.log(`${target.padEnd(14)} ${figure} inputs  ${String(findings.length)} findings`);
    for (const finding of findings) console.log(finding);
  }
  return harvests.every(({ findings }) => findings.length === 0) ? 0 : 1;
}

function replay(file: string): number {
  const target = targetNamed(path.basename(path.dirname(path.resolve(file))));
  const broken = verdictOn(target, readFileSync(file));
  console.log(broken ?? `${target.name}: nothing is wrong with how this is read.`);
  return broken === null ? 0 : 1;
}

process.exitCode = await main();
