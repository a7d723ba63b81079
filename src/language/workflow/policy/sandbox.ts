/** What a sandboxed step may change and reach (docs/sandbox.md, "Sandbox"). */
export interface Sandbox {
  /** Files and folders that the step may change. */
  readonly write: readonly string[];
  readonly network: boolean;
  /**
   * Of a setting, whose paths are absolute: those that the user wrote as relative ones, which mean the working tree of
   * each step. Absent: none.
   */
  readonly relative?: readonly string[] | undefined;
}

/** `sandbox: on`: the step may change its working folder, and use the network. */
export const SANDBOX_ON: Sandbox = { write: ["."], network: true };

export const SANDBOX_EXPECTS =
  '"on", "off", or write:FOLDER, read-only and network:off, separated by commas';

/**
 * Reads the value of `sandbox`: on, off, a mapping with `write` and `network`, or the same as text,
 * `write:dist,network:off`, where `read-only` is an empty list. `off` is null. Undefined: the value is invalid.
 */
export function readSandbox(value: unknown): Sandbox | null | undefined {
  const isOn = switchOf(value);
  if (isOn !== undefined) return isOn ? SANDBOX_ON : null;
  if (typeof value === "string") return readItems(value.split(","));
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const {
    write = SANDBOX_ON.write,
    network = SANDBOX_ON.network,
    ...others
  } = value as Record<string, unknown>;
  const hasNetwork = switchOf(network);
  if (hasNetwork === undefined || !isPathList(write) || Object.keys(others).length > 0) {
    return undefined;
  }
  return { write, network: hasNetwork };
}

/** The text form, which {@link readSandbox} reads. */
export function printSandbox({ write, network }: Sandbox): string {
  const paths = write.length === 0 ? [READ_ONLY] : write.map((path) => `write:${path}`);
  return [...paths, ...(network ? [] : ["network:off"])].join(",");
}

const READ_ONLY = "read-only";

function readItems(items: readonly string[]): Sandbox | undefined {
  const write: string[] = [];
  let { network } = SANDBOX_ON;
  let isReadOnly = false;
  for (const item of items) {
    if (item.trim() === READ_ONLY) {
      isReadOnly = true;
      continue;
    }
    const [, key, value = ""] = /^\s*(write|network):(.+?)\s*$/.exec(item) ?? [];
    const hasNetwork = switchOf(value);
    if (key === "write") write.push(value);
    else if (key === "network" && hasNetwork !== undefined) network = hasNetwork;
    else return undefined;
  }
  if (!isPathList(write) || (isReadOnly && write.length > 0)) return undefined;
  return { write: write.length === 0 && !isReadOnly ? SANDBOX_ON.write : write, network };
}

function switchOf(value: unknown): boolean | undefined {
  if (value === true || value === "on" || value === "true") return true;
  if (value === false || value === "off" || value === "false") return false;
  return undefined;
}

function isPathList(value: unknown): value is readonly string[] {
  const isPath = (each: unknown) => typeof each === "string" && each !== "" && !each.includes("\0");
  return Array.isArray(value) && value.every(isPath);
}
