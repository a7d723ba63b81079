import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as z from "zod/mini";
import { LIMITS, readTextFile } from "../../files/read-file.ts";
import { errorCode } from "../../language/basics/error-code.ts";
import { thisPlatform } from "../../process/platform/platforms.ts";
import { type HostIdentity, isVisible, thisHost } from "../../storage/lock/host-identity.ts";

/** A folder of this process for copies, in that for temporary files. What others have left there that were killed goes meanwhile. */
export async function mirrorFolder(): Promise<{
  readonly folder: string;
  /** Resolves when those of others are gone. Never rejects. */
  readonly swept: Promise<void>;
}> {
  const folder = await mkdtemp(path.join(tmpdir(), `${PREFIX}${String(process.pid)}-`));
  const here = await thisHost();
  const identity = await identify(process.pid, null).catch(() => null);
  if (identity !== null) {
    const owner: Owner = { pid: process.pid, identity, place: here };
    await writeFile(path.join(folder, OWNER), JSON.stringify(owner), { mode: 0o600 });
  }
  return { folder, swept: sweep(here).catch(() => undefined) };
}

const PREFIX = "raymond-fleet-";
const OWNER = "owner.json";

/** Who has made such a folder. */
const OWNER_SCHEMA = z.object({
  pid: z.int(),
  identity: z.string(),
  place: z.object({
    host: z.string(),
    machine: z.nullable(z.string()),
    boot: z.nullable(z.string()),
    namespace: z.nullable(z.string()),
  }),
});

type Owner = z.infer<typeof OWNER_SCHEMA>;

const { identify } = thisPlatform;

async function sweep(here: HostIdentity): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(PREFIX)) continue;
    const left = path.join(tmpdir(), name);
    if (await isLeft(left, name, here)) await rm(left, { recursive: true, force: true });
  }
}

async function isLeft(folder: string, name: string, here: HostIdentity): Promise<boolean> {
  const owner = await ownerOf(folder);
  if (owner !== null && isVisible(owner.place, here))
    return (await identify(owner.pid, owner.identity)) !== owner.identity;
  // Its process may be one that cannot be seen from here, or is about to say who it is.
  const pid = Number(name.slice(PREFIX.length).split("-")[0]);
  if (!Number.isInteger(pid) || pid <= 0 || isAlive(pid)) return false;
  const { mtimeMs } = await stat(folder);
  return Date.now() - mtimeMs > OLD_MS;
}

/** Null where it does not say that, or not yet. */
async function ownerOf(folder: string): Promise<Owner | null> {
  try {
    return OWNER_SCHEMA.parse(
      JSON.parse(await readTextFile(path.join(folder, OWNER), LIMITS.small)),
    );
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
