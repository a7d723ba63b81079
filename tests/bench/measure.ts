import { spawn } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/** A program to measure, run as a process of this Node. */
export interface Program {
  /** Arguments of `node`. */
  readonly args: readonly string[];
  readonly cwd: string;
  /** Allow a failing exit code or signal. */
  readonly mayFail?: true;
  /** Setup before each run. */
  readonly before?: () => Promise<void>;
}

/** Measurements in the order of turns. */
export interface Sample {
  readonly values: readonly number[];
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

/** Durations of the runs of one program. */
export interface Times {
  /** Wall clock time from start to exit, ms. */
  readonly wall: Sample;
  /** Processor time without child processes, ms. Other load has little effect on it. */
  readonly cpu: Sample;
}

/**
 * Runs programs alternately (A B A B), so that other load affects all of them. Rejects if one fails.
 */
export async function timeInTurns<Name extends string>(
  programs: Readonly<Record<Name, Program>>,
  rounds: number,
): Promise<Readonly<Record<Name, Times>>> {
  const names = Object.keys(programs) as Name[];
  const taken = new Map(names.map((name) => [name, { wall: [] as number[], cpu: [] as number[] }]));
  // Warm-up turn for the disk caches.
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

/** Cost of one run of a program. */
export interface Cost {
  readonly wallMs: number;
  /** Processor time without child processes; NaN if it was killed. */
  readonly cpuMs: number;
  /** Peak memory without child processes, bytes. */
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
 * The ratio of `of` to `floor`: the median of the ratios of each turn. A ratio of medians would include load
 * that changes between turns.
 */
export function medianRatio(of: Sample, floor: Sample): number {
  return sampleOf(of.values.map((value, turn) => value / (floor.values[turn] ?? Number.NaN)))
    .median;
}

/** The same sample in another unit. */
export function scaled({ values }: Sample, factor: number): Sample {
  return sampleOf(values.map((value) => value * factor));
}

/** The quantile of a sample, `part` from 0 to 1. */
export function quantile({ values }: Sample, part: number): Sample {
  const sorted = values.toSorted((a, b) => a - b);
  const at = Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1);
  return sampleOf([sorted[at] ?? Number.NaN]);
}

/** Median, minimum and maximum. */
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
 * Not `resourceUsage()` on Linux: its maximum includes the memory of the parent at the time of the fork.
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
