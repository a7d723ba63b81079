import { closeSync, openSync, readFileSync, writeSync } from "node:fs";

/**
 * The memory regions with the arguments and the environment of this process, as shown by
 * `/proc/self`.
 */
const REGIONS = [
  { file: "/proc/self/cmdline", startField: 48 },
  { file: "/proc/self/environ", startField: 50 },
] as const;

/**
 * Overwrites a secret in the command line and the environment that this process was started with.
 * Deleting a variable does not: `/proc/PID/environ` and `ps` show the memory as it was at the
 * start.
 */
export function redactProcess(secret: string): void {
  try {
    for (const { file, startField } of REGIONS) overwrite(file, fieldOfStat(startField), secret);
  } catch {
    // Unsupported or forbidden here: {@link isVisibleInProc} reports that.
  }
}

/** Whether `/proc` may show a secret to other processes of this user. */
export function isVisibleInProc(secret: string): boolean {
  try {
    return REGIONS.some(({ file }) => readFileSync(file).includes(secret));
  } catch {
    return true;
  }
}

function overwrite(file: string, start: number, secret: string): void {
  const shown = readFileSync(file);
  const stars = Buffer.alloc(Buffer.byteLength(secret), "*");
  let memory: number | null = null;
  try {
    for (let at = shown.indexOf(secret); at !== -1; at = shown.indexOf(secret, at + stars.length)) {
      memory ??= openSync("/proc/self/mem", "r+");
      writeSync(memory, stars, 0, stars.length, start + at);
    }
  } finally {
    if (memory !== null) closeSync(memory);
  }
}

/**
 * A field of `/proc/self/stat`, numbered as in proc(5). The program name may contain spaces and
 * `)`.
 */
function fieldOfStat(field: number): number {
  const stat = readFileSync("/proc/self/stat", "utf8");
  const rest = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const value = Number(rest[field - 3]);
  if (!Number.isSafeInteger(value) || value === 0) throw new Error(`no field ${String(field)}`);
  return value;
}
