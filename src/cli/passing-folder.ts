import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { NoTemporaryFolderError } from "./errors.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Gives `use` a folder of its own among the temporary ones, and takes it away
 * when `use` has ended, however that was. Rejects with a RaymondError where
 * none can be made.
 */
export async function inPassingFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  // A signal that comes before the run listens must not end the process, for then the folder would stay.
  for (const signal of SIGNALS) process.on(signal, () => undefined);
  const folder = await makeFolder();
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function makeFolder(): Promise<string> {
  try {
    return await realpath(await mkdtemp(path.join(tmpdir(), "raymond-tour-")));
  } catch (error) {
    throw new NoTemporaryFolderError(tmpdir(), error);
  }
}
