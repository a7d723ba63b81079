import type { Target } from "./target.ts";

/** What is wrong with how a target read an input, as a sentence; null where nothing is. */
export function verdictOn(target: Target, input: Buffer): string | null {
  const [broken, ms] = timed(target, input);
  if (broken !== null) return broken;
  if (polluted()) return "It has left something in Object.prototype.";
  const most = mostMs(input);
  if (ms <= most) return null;
  // The compiler or the collector may have been at work: only what is slow each time is slow.
  const best = Math.min(...Array.from({ length: 3 }, () => timed(target, input)[1]));
  if (best <= most) return null;
  return `It took ${best.toFixed(0)} ms for ${String(input.length)} bytes.`;
}

function timed(target: Target, input: Buffer): readonly [broken: string | null, ms: number] {
  const start = cpuMs();
  try {
    return [target.broken(input), cpuMs() - start];
  } catch (error) {
    const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [stack.split("\n").slice(0, 8).join("\n"), cpuMs() - start];
  }
}

/** Of this process: how busy the machine is besides does not count. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** A second for each 100 KB. */
function mostMs(input: Buffer): number {
  return Math.max(1_000, input.length / 100);
}

function polluted(): boolean {
  for (const _ in {}) return true;
  return false;
}
