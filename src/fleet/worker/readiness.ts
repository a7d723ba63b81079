import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { RaymondError } from "../../language/basics/errors.ts";
import { orDiskError } from "../../storage/errors.ts";
import type { Caller } from "../../wire/caller.ts";
import { type Place, stateRoot } from "../../wire/stores.ts";
import { checkSkew } from "../admin/clock-skew.ts";
import { serverFacts } from "../server/server-facts.ts";
import { openDatabase } from "../store/database.ts";

/**
 * Whether this machine can go on with runs at all: a worker that cannot would take one after the other from
 * those that can, and each would fail. Rejects with a RaymondError where nothing can be kept here.
 */
export async function requireReadiness(place: Place, caller: Caller): Promise<void> {
  const folder = path.join(await stateRoot(place, caller), "fleet");
  const trial = path.join(folder, `trial-${randomUUID()}`);
  await orDiskError("keep runs in", folder, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(trial, "x", { mode: 0o600 });
    await rm(trial);
  });
}

/**
 * Says at once where the database is away: whoever begins waits for it, and would do so in silence; and where
 * its clock is another one, for waits go by that of this machine.
 */
export async function reportDatabase(
  url: string,
  { now }: Pick<Caller, "now">,
  log: (line: string) => void,
): Promise<void> {
  const database = openDatabase(url);
  try {
    // What the connection takes is no difference of clocks.
    await database.query("SELECT 1");
    const before = now();
    const { now: there } = await serverFacts(database);
    const { level, message, hint } = checkSkew((before + now()) / 2 - there);
    if (level !== "ok") log(`warning: ${message} ${hint ?? ""}`);
  } catch (error) {
    if (!(error instanceof RaymondError && error.code === "fleet/away")) throw error;
    log(`${error.message} Waiting for it.`);
  } finally {
    await database.close();
  }
}
