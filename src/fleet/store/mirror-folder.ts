import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as z from "zod/mini";
import { LIMITS, readTextFile } from "../../files/read-file.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import { thisPlatform } from "../../process/platform/platforms.ts";
import { isVisible, thisHost } from "../../storage/lock/host-identity.ts";
import {
  mayBeAlive,
  type ProcessLookup,
  type ProcessRecord,
  processFields,
  processRecord,
} from "../../storage/lock/process-record.ts";

/** Creates a temporary folder, and deletes those of processes that were killed. */
export async function mirrorFolder(): Promise<{
  readonly folder: string;
  /** Resolves when the other folders are deleted. Never rejects. */
  readonly swept: Promise<void>;
}> {
  const folder = await mkdtemp(path.join(tmpdir(), `${PREFIX}${String(process.pid)}-`));
  const lookup = { place: await thisHost(), identify: thisPlatform.identify };
  const owner = await processRecord(lookup, process.pid).catch(() => null);
  if (owner !== null && owner.identity !== "")
    await writeFile(path.join(folder, OWNER), JSON.stringify(owner), { mode: 0o600 });
  return { folder, swept: sweep(lookup).catch(() => undefined) };
}

const PREFIX = "raymond-fleet-";
const OWNER = "owner.json";

async function sweep(lookup: ProcessLookup): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const folder = path.join(tmpdir(), name);
    if (await isAbandoned(folder, lookup)) await rm(folder, { recursive: true, force: true });
  }
}

async function isAbandoned(folder: string, lookup: ProcessLookup): Promise<boolean> {
  const owner = await ownerOf(folder);
  if (owner !== null && isVisible(owner, lookup.place)) return !(await mayBeAlive(lookup, owner));
  // The owner may run in another container, or may not have written its file yet.
  const pid = Number(path.basename(folder).slice(PREFIX.length).split("-")[0]);
  if (!Number.isInteger(pid) || pid <= 0 || isAlive(pid)) return false;
  const { mtimeMs } = await stat(folder);
  return Date.now() - mtimeMs > OLD_MS;
}

/** Null if the file is missing or invalid. */
async function ownerOf(folder: string): Promise<ProcessRecord | null> {
  try {
    const text = await readTextFile(path.join(folder, OWNER), LIMITS.small);
    return z.object(processFields()).parse(JSON.parse(text));
  } catch {
    return null;
  }
}

const OLD_MS = 3_600_000;

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== "ESRCH";
  }
}
