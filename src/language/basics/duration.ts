/** Milliseconds per unit, in the order in which units are written. */
const UNITS = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
] as const;

const WRITTEN = /^(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?$/;

/** 2^31-1 seconds. Longer durations are probably typing errors. */
const LONGEST_MS = (2 ** 31 - 1) * 1_000;

/**
 * Parses a duration to ms: `90s`, `20m`, `2h`, `1d`, `500ms`, `1h30m`; a bare number is seconds
 * (docs/cli.md, "Conventions"). Each unit at most once, larger units first, no blanks. Null for
 * everything else, and above 2^31-1 seconds.
 */
export function parseDuration(text: string): number | null {
  const ms = /^\d+$/.test(text) ? Number(text) * 1_000 : sumOfUnits(text);
  return ms === null || ms > LONGEST_MS ? null : ms;
}

function sumOfUnits(text: string): number | null {
  const found = WRITTEN.exec(text);
  if (found === null || text === "") return null;
  return UNITS.reduce((sum, [, size], index) => sum + Number(found[index + 1] ?? 0) * size, 0);
}

/** Prints ms for {@link parseDuration}, in the largest unit that divides it. */
export function printDuration(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms % each === 0) ?? ["ms", 1];
  return `${String(ms / size)}${unit}`;
}

/** Formats ms in the two largest units: `420ms`, `12s`, `1m 05s`, `2h 03m`, `1d 02h`. */
export function formatDuration(ms: number): string {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1_000) return `${String(whole)}ms`;

  const seconds = Math.round(whole / 1_000);
  if (seconds < 60) return `${String(seconds)}s`;
  if (seconds < 3_600) return pair(seconds, 60, "m", "s");

  const minutes = Math.round(whole / 60_000);
  if (minutes < 1_440) return pair(minutes, 60, "h", "m");
  return pair(Math.round(whole / 3_600_000), 24, "d", "h");
}

function pair(count: number, base: number, large: string, small: string): string {
  const rest = String(count % base).padStart(2, "0");
  return `${String(Math.floor(count / base))}${large} ${rest}${small}`;
}
