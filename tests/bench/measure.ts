import { spawn } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";

/** A program to measure. */
export interface Program {
  /** Arguments of `node`, or a command of `sh` with its arguments. */
  readonly args: readonly string[];
  /** Not a program of this Node: its processor time and memory are not measured. */
  readonly isCommand?: true;
  /** Added to the environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** How it ends, if not with exit code 0: in any way, or by this signal. */
  readonly ends?: "in any way" | NodeJS.Signals;
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
export async function timeInTurns<Programs extends Readonly<Record<string, Program>>>(
  programs: Programs,
  rounds: number,
): Promise<{ readonly [Name in keyof Programs]: Times }> {
  const taken = Object.entries(programs).map(([name, program]) => {
    return { name, program, wall: [] as number[], cpu: [] as number[] };
  });
  // Warm-up turn for the disk caches, except for programs that take a minute.
  for (let round = rounds === 1 ? 0 : -1; round < rounds; round += 1) {
    for (const { program, wall, cpu } of taken) {
      const { wallMs, cpuMs } = await costOf(program);
      if (round < 0) continue;
      wall.push(wallMs);
      cpu.push(cpuMs);
    }
  }
  const samples = taken.map(({ name, wall, cpu }) => {
    return [name, { wall: sampleOf(wall), cpu: sampleOf(cpu) }];
  });
  return Object.fromEntries(samples) as { readonly [Name in keyof Programs]: Times };
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
  await run(program, reporter, { ...program.env, [REPORT]: report });
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

/** The difference of two samples, turn by turn. */
export function without(sample: Sample, part: Sample): Sample {
  return sampleOf(sample.values.map((value, turn) => value - (part.values[turn] ?? Number.NaN)));
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
  { args, isCommand, cwd, ends }: Program,
  reporter: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const [command = "", ...values] = args;
  const [program, ...words] =
    isCommand === true
      ? ["/bin/sh", "-c", `${command} "$@"`, "sh", ...values]
      : [process.execPath, "--require", reporter, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-2_000);
    });
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const end = signal ?? code;
      if (ends === "in any way" || end === (ends ?? 0)) resolve();
      else reject(new Error(`${args.join(" ")} ended with ${String(end)}: ${said}`));
    });
  });
}
