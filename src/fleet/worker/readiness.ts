import { randomUUID } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Check, failure, ok, warning } from "../../inspect/check.ts";
import { RaymondError } from "../../language/basics/errors.ts";
import { orDiskError } from "../../storage/errors.ts";
import type { Caller } from "../../wire/caller.ts";
import { type Place, stateRoot } from "../../wire/stores.ts";
import { serverFacts } from "../server/server-facts.ts";
import { openDatabase } from "../store/database.ts";

/** Rejects if the state folder is not writable: such a worker would claim one run after the other, and fail it. */
export async function requireReadiness(place: Place, caller: Caller): Promise<void> {
  const folder = path.join(await stateRoot(place, caller), "fleet");
  const trial = path.join(folder, `trial-${randomUUID()}`);
  await orDiskError("keep runs in", folder, async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(trial, "x", { mode: 0o600 });
    await rm(trial);
  });
}

/** Logs that the database is unavailable, because a starting worker waits for it, or that its clock differs. */
export async function reportDatabase(
  url: string,
  { now }: Pick<Caller, "now">,
  log: (line: string) => void,
): Promise<void> {
  const database = openDatabase(url);
  try {
    // Connecting must not count as a difference of the clocks.
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

/** `ms`: how far this clock is ahead of that of the database. */
export function checkSkew(ms: number): Check {
  const seconds = Math.round(Math.abs(ms) / 1000);
  if (seconds < 5) return ok("skew", "the clocks of this machine and the database agree");
  const text = `The clock of this machine is ${String(seconds)} s ${ms > 0 ? "ahead of" : "behind"} the clock of the database.`;
  const hint = "Synchronize both with NTP: waits of runs on this machine follow its clock.";
  return seconds < 60 ? warning("skew", text, hint) : failure("skew", text, hint);
}
