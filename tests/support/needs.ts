import { existsSync } from "node:fs";
import path from "node:path";
import { describe, it, type SuiteCollector } from "vitest";

/** What not every platform has. */
export interface Need {
  readonly met: boolean;
  /** Why it is not met, for the name of what is not run. */
  readonly reason: string;
}

/** Processes, their descriptors and their states as files. */
export const PROC: Need = { met: process.platform === "linux", reason: "there is no /proc" };

/** What others were started with. macOS hides it of what is its own, bash and sleep too, without which no token is found. */
export const ENVIRONMENTS: Need = {
  met: process.platform === "linux",
  reason: "the system shows nobody the environment of bash",
};

/** A program that not every machine has. */
export function onPath(program: string): Need {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  const met = folders.some((folder) => existsSync(path.join(folder, program)));
  return { met, reason: `there is no ${program}` };
}

/** A test that is run where the need is met; elsewhere its name says why it is not. */
export function itNeeds(need: Need, name: string, run: () => Promise<void> | void): void {
  it.skipIf(!need.met)(named(need, name), run);
}

/** The same for several. */
export function describeNeeds(need: Need, name: string, collect: () => void): SuiteCollector {
  return describe.skipIf(!need.met)(named(need, name), collect);
}

function named({ met, reason }: Need, name: string): string {
  return met ? name : `${name} [not here: ${reason}]`;
}
