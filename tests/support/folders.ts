import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { onTestFinished } from "vitest";

/** A temporary folder (its real path), removed after the test. */
export async function tempFolder(): Promise<string> {
  const folder = await realpath(await mkdtemp(path.join(tmpdir(), "raymond-folder-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 3 }));
  return folder;
}
