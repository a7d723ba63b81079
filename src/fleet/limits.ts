import { letTryAgain } from "../stores/postgres/account-slots.ts";
import {
  type Limits,
  type SeenAccount,
  seenAccounts,
  setLimits,
} from "../stores/postgres/accounts.ts";
import type { AccountName } from "../stores/postgres/placement.ts";
import { UnknownAccountError } from "./errors.ts";
import type { OpenFleet } from "./open.ts";

export type { Limits, SeenAccount } from "../stores/postgres/accounts.ts";

/** The accounts that workers of a fleet have had, what they may do, and what they do. */
export function limits({ database }: Pick<OpenFleet, "database">): Promise<readonly SeenAccount[]> {
  return seenAccounts(database);
}

/**
 * Changes what an account may do, for all workers from now on; what goes on already does so. Rejects with
 * an {@link UnknownAccountError}: a limit by a name that nobody has would limit nothing.
 */
export async function changeLimits(
  name: AccountName,
  change: Partial<Limits>,
  { database }: Pick<OpenFleet, "database">,
): Promise<SeenAccount> {
  await setLimits(database, name, change);
  const [changed] = await seenAccounts(database, name);
  if (changed !== undefined) {
    if (change.perDayMicroUsd !== undefined && changed.cooldown === null)
      await letTryAgain(database, name);
    return changed;
  }
  const known = (await seenAccounts(database)).map((account) => account.name);
  throw new UnknownAccountError(name, known);
}
