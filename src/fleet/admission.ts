import type { RunId } from "../core/machine/run-state.ts";
import type { Clock } from "../ports/clock.ts";
import { admit, leave } from "../stores/postgres/admissions.ts";
import type { Database } from "../stores/postgres/database.ts";
import { findPlacement } from "../stores/postgres/placed-runs.ts";
import type { AccountName, MachineId } from "../stores/postgres/placement.ts";
import { goName, type Queues } from "../stores/postgres/queues.ts";
import { standingsOf } from "../stores/postgres/standing.ts";
import { together } from "../stores/postgres/together.ts";
import type { Claim } from "./claims.ts";
import type { ClientHealth } from "./client-health.ts";
import { sendTo } from "./hand-over.ts";
import { leaveToOthers } from "./leave-to-others.ts";
import { pauseFor } from "./pause.ts";

/** What lets runs in that a worker was handed. */
export interface Admission {
  /** Resolves with whether what DBOS calls by this name is to be gone on with here, as soon as it may: it can have to wait for its account. */
  enter(id: RunId, name: string, claim: Claim): Promise<boolean>;
  /** It does not go on here any more. Never rejects. */
  leave(id: RunId): Promise<void>;
}

interface Admitting {
  readonly machine: MachineId;
  /** The row of `raymond.holders` that is this worker. */
  readonly holder: number;
  readonly database: Database;
  readonly queues: Queues;
  /** Those that this worker has credentials for. */
  readonly accounts: readonly AccountName[];
  readonly clients: Pick<ClientHealth, "problemOf">;
  readonly clock: Clock;
  readonly until: AbortSignal;
  readonly tell: (line: string) => void;
  readonly now: () => number;
}

/** The admission of a worker. */
export function admission(of: Admitting): Admission {
  const { machine, holder, database, accounts, clients, clock, until, tell } = of;
  const standingOf = together((ids: readonly RunId[]) => standingsOf(database, ids, machine));
  const entered = new Set<RunId>();
  let waiting = 0;
  /** Null: not yet. */
  const ask = async (id: RunId, name: string): Promise<boolean | null> => {
    const standing = await standingOf(id);
    if (standing === null) return false;
    const { account, go, home, draining, needsClient, onlyHere } = standing;
    // It was enqueued anew since.
    if (goName(id, go) !== name) return false;
    if (home !== null) return sendHome(id, home, of);
    // It was handed out before this worker has heard that it is drained.
    if (draining) {
      await leaveToOthers(id, name, of);
      return false;
    }
    if (needsClient && clients.problemOf(account) !== null) {
      // Nobody else may have it: it waits until the client works, and holds no slot.
      if (onlyHere) return null;
      await leaveToOthers(id, name, of);
      return false;
    }
    if (account === null) return true;
    if (accounts.includes(account)) {
      entered.add(id);
      return (await admit(database, { run: id, go, account, holder })) ? true : null;
    }
    tell(`${id}: waits, as this worker has no credentials of the account ${account}`);
    return null;
  };
  const letGo = async (id: RunId): Promise<void> => {
    if (!entered.delete(id)) return;
    await leave(database, id, holder).catch(() => undefined);
  };
  return {
    enter: async (id, name, claim) => {
      for (waiting += 1; !until.aborted; ) {
        // While this worker has no slot free, another may let it in.
        const may = claim.reserve() ? await ask(id, name).catch(() => null) : null;
        if (may !== null) {
          waiting -= 1;
          if (!may) await letGo(id);
          return may;
        }
        claim.release();
        await clock.sleep(pauseFor(waiting, Math.random), until);
      }
      return new Promise(() => undefined);
    },
    leave: letGo,
  };
}

/** Puts it into the queue of its home, as one more going on: this one is over with what it returns. */
async function sendHome(
  id: RunId,
  home: MachineId,
  { database, queues, tell }: Admitting,
): Promise<false> {
  const row = await findPlacement(database, id);
  if (row !== null && (await sendTo(home, row, { database, queues }))) {
    tell(`${id}: left to its home, ${home}`);
  }
  return false;
}
