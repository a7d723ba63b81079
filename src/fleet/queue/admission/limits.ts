import type { OpenFleet } from "../../admin/open.ts";
import { fleetErrors } from "../../errors.ts";
import type { AccountName } from "../../store/rows/placement.ts";
import { type AccountStatus, type Limits, listAccounts, setLimits } from "../accounts.ts";
import { retryWaitingRuns } from "./account-slots.ts";

export type { AccountStatus as SeenAccount, Limits } from "../accounts.ts";

/** The accounts that workers of a fleet have had, what they may do, and what they do. */
export function limits({
  database,
}: Pick<OpenFleet, "database">): Promise<readonly AccountStatus[]> {
  return listAccounts(database);
}

/**
 * Changes what an account may do, for all workers from now on; what goes on already does so. Rejects with
 * an `fleet/unknown-account`: a limit by a name that nobody has would limit nothing.
 */
export async function changeLimits(
  name: AccountName,
  change: Partial<Limits>,
  { database }: Pick<OpenFleet, "database">,
): Promise<AccountStatus> {
  await setLimits(database, name, change);
  const [changed] = await listAccounts(database, name);
  if (changed !== undefined) {
    if (change.perDayMicroUsd !== undefined && changed.cooldown === null)
      await retryWaitingRuns(database, name);
    return changed;
  }
  const known = (await listAccounts(database)).map((account) => account.name);
  throw fleetErrors["fleet/unknown-account"](name, known);
}
