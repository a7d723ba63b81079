import { spawn } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/** A program that is measured, as a whole process of this Node. */
export interface Program {
  /** Arguments of `node`. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** It may end with an error, or by a signal. */
  readonly mayFail?: true;
  /** What must be so before each run. */
  readonly before?: () => Promise<void>;
}

/** Some figures, in the order of their turns. */
export interface Sample {
  readonly values: readonly number[];
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** What the runs of one program took. */
export interface Times {
  /** By the clock, from the start to the exit, ms. */
  readonly wall: Sample;
  /** Of processors, without those of its children, ms: what else the machine does is hardly in it. */
  readonly cpu: Sample;
}

/**
 * Runs programs in turns, A B A B, so that what else the machine does falls on
 * all of them. Rejects when one fails.
 */
export async function timeInTurns<Name extends string>(
  programs: Readonly<Record<Name, Program>>,
  rounds: number,
): Promise<Readonly<Record<Name, Times>>> {
  const names = Object.keys(programs) as Name[];
  const taken = new Map(names.map((name) => [name, { wall: [] as number[], cpu: [] as number[] }]));
  // The first turn fills the caches of the disk, and is not counted.
  for (let round = -1; round < rounds; round += 1) {
    for (const name of names) {
      const { wallMs, cpuMs } = await costOf(programs[name]);
      if (round < 0) continue;
      taken.get(name)?.wall.push(wallMs);
      taken.get(name)?.cpu.push(cpuMs);
    }
  }
  const samples = [...taken].map(([name, { wall, cpu }]) => {
    return [name, { wall: sampleOf(wall), cpu: sampleOf(cpu) }];
  });
  return Object.fromEntries(samples) as Record<Name, Times>;
}

/** What one run of a program took. */
export interface Cost {
  readonly wallMs: number;
  /** Time of processors, without its children; not a number where it was killed. */
  readonly cpuMs: number;
  /** The most memory that it held at once, without its children, bytes. */
  readonly peak: number;
}

/** Runs a program once. */
export async function costOf(program: Program): Promise<Cost> {
  const report = path.join(program.cwd, `cost-${String(process.pid)}`);
  const reporter = `${report}.cjs`;
  await writeFile(reporter, REPORTER);
  await program.before?.();
  const began = performance.now();
  const required = { ...program, args: ["--require", reporter, ...program.args] };
  await run(required, { [REPORT]: report });
  const wallMs = performance.now() - began;
  const text = await readFile(report, "utf8").catch(() => "");
  const [peak = Number.NaN, cpuMs = Number.NaN] = text === "" ? [] : text.split(" ").map(Number);
  await rm(report, { force: true });
  return { wallMs, cpuMs, peak };
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

/** The figure that so large a part of the sample does not exceed. */
export function quantile({ values }: Sample, part: number): Sample {
  const sorted = values.toSorted((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1);
  return sampleOf([sorted[at] ?? Number.NaN]);
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

const REPORT = "BENCH_REPORT";

/**
 * Not `resourceUsage()` on Linux: its maximum begins with what the parent held
 * when it forked, and this parent is large.
 */
const REPORTER = `
process.on("exit", () => {
  const fs = require("node:fs");
  let peak = process.resourceUsage().maxRSS * 1024;
  try {
    peak = Number(/VmHWM:\\s+(\\d+) kB/.exec(fs.readFileSync("/proc/self/status", "utf8"))[1]) * 1024;
  } catch {}
  const { user, system } = process.cpuUsage();
  fs.writeFileSync(process.env.${REPORT}, peak + " " + (user + system) / 1e3);
});
`;

function run(
  { args, cwd, mayFail }: Program,
  env: Readonly<Record<string, string>>,
): Promise<void> {
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
      if (code === 0 || mayFail === true) resolve();
      else reject(new Error(`node ${args.join(" ")} ended with ${String(code)}: ${said}`));
    });
  });
}
