import { spawn } from "node:child_process";
import { readFile, rm } from "node:fs/promises";
import path from "node:path";

/** A program that is measured, as a whole process of this Node. */
export interface Program {
  /** Arguments of `node`. */
  readonly args: readonly string[];
  readonly cwd: string;
}

/** What the runs of one program took, in the order of their turns. */
export interface Sample {
  readonly values: readonly number[];
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/**
 * Runs programs in turns, A B A B, so that what else the machine does falls on
 * all of them. Returns the wall clock of each, ms. Rejects when one fails.
 */
export async function timeInTurns<Name extends string>(
  programs: Readonly<Record<Name, Program>>,
  rounds: number,
): Promise<Readonly<Record<Name, Sample>>> {
  const names = Object.keys(programs) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<
    Name,
    number[]
  >;
  // The first turn fills the caches of the disk, and is not counted.
  for (let round = -1; round < rounds; round += 1) {
    for (const name of names) {
      const began = performance.now();
      await run(programs[name]);
      if (round >= 0) times[name].push(performance.now() - began);
    }
  }
  return Object.fromEntries(names.map((name) => [name, sampleOf(times[name])])) as Record<
    Name,
    Sample
  >;
}

/** What a program took for itself; its children are not counted. */
export interface OwnCost {
  /** The most memory that it held at once, bytes. */
  readonly peak: number;
  /** Time of processors, ms. */
  readonly cpuMs: number;
}

export async function ownCost(program: Program): Promise<OwnCost> {
  const report = path.join(program.cwd, `own-${String(process.pid)}.txt`);
  await run({ ...program, args: ["--import", REPORT_PEAK, ...program.args] }, { [REPORT]: report });
  const [peak = Number.NaN, cpuMs = Number.NaN] = (await readFile(report, "utf8"))
    .split(" ")
    .map(Number);
  await rm(report);
  return { peak, cpuMs };
}

/**
 * How much more `of` took than `floor`: the median over the turns of the ratio
 * of the two that ran one after the other. What else the machine does changes
 * from turn to turn, and would be in a ratio of medians.
 */
export function medianRatio(of: Sample, floor: Sample): number {
  return sampleOf(of.values.map((value, turn) => value / (floor.values[turn] ?? Number.NaN)))
    .median;
}

/** The same sample in another unit. */
export function scaled({ values }: Sample, factor: number): Sample {
  return sampleOf(values.map((value) => value * factor));
}

/** Median, least and most of some numbers. */
export function sampleOf(values: readonly number[]): Sample {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return {
    values,
    median: at(Math.floor(sorted.length / 2)),
    min: at(0),
    max: at(sorted.length - 1),
  };
}

const REPORT = "BENCH_PEAK_REPORT";

/**
 * Not `resourceUsage()` on Linux: its maximum begins with what the parent held
 * when it forked, and this parent is large.
 */
const REPORT_PEAK = `data:text/javascript,${encodeURIComponent(`
  import fs from "node:fs";
  process.on("exit", () => {
    let peak = process.resourceUsage().maxRSS * 1024;
    try {
      peak = Number(/VmHWM:\\s+(\\d+) kB/.exec(fs.readFileSync("/proc/self/status", "utf8"))[1]) * 1024;
    } catch {}
    const { user, system } = process.cpuUsage();
    fs.writeFileSync(process.env.${REPORT}, peak + " " + (user + system) / 1e3);
  });
`)}`;

function run({ args, cwd }: Program, env: Readonly<Record<string, string>> = {}): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-2_000);
    });
    child.once("error", reject);
    child.once("close", (code) => {
      if (code === 0) resolve();
      else reject(new Error(`node ${args.join(" ")} ended with ${String(code)}: ${said}`));
    });
  });
}
