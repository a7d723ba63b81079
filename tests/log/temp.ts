import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder for one test, removed after it. */
export async function tempFolder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "raymond-test-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** A clock that stands still. */
export const stillClock = { now: (): number => Date.UTC(2026, 10, 21, 10, 30) };
