import { existsSync } from "node:fs";
import path from "node:path";
import { describe, it, type SuiteCollector } from "vitest";

/** A requirement that not all platforms meet. */
export interface Need {
  readonly met: boolean;
  /** Reason for the name of a skipped test. */
  readonly reason: string;
}

/** The /proc file system. */
export const PROC: Need = { met: process.platform === "linux", reason: "there is no /proc" };

/** Environments of other processes. macOS hides those of system programs such as bash, and with them the tokens. */
export const ENVIRONMENTS: Need = {
  met: process.platform === "linux",
  reason: "the system hides the environment of bash",
};

/** A program that must be on PATH. */
export function onPath(program: string): Need {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  const met = folders.some((folder) => existsSync(path.join(folder, program)));
  return { met, reason: `there is no ${program}` };
}

/** A test that is skipped if the requirement is not met. Its name then contains the reason. */
export function itNeeds(need: Need, name: string, run: () => Promise<void> | void): void {
  it.skipIf(!need.met)(named(need, name), run);
}

/** The same for a group of tests. */
export function describeNeeds(need: Need, name: string, collect: () => void): SuiteCollector {
  return describe.skipIf(!need.met)(named(need, name), collect);
}

function named({ met, reason }: Need, name: string): string {
  return met ? name : `${name} [not here: ${reason}]`;
}
