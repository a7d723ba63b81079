import type { Blocker } from "../../engine/ports/store.ts";
import type { RunId } from "../../machine/run-state.ts";
import { type AccountStatus, listAccounts } from "../queue/accounts.ts";
import type { Queries } from "../store/database.ts";

/** What keeps steps of a run of the fleet that its state does not log of: its account. Most runs have none. */
export async function stepsHeldUp(on: Queries, id: RunId): Promise<readonly Blocker[]> {
  const steps = await on.query<{ agent: string; account: string }>(STEPS, [id]);
  const [first] = steps;
  const [seen] = first === undefined ? [] : await listAccounts(on, first.account);
  if (seen === undefined) return [];
  const message = slotWords(seen);
  return steps.map(({ agent }) => ({ agent, message }));
}

/** What keeps a prompt step of the account from starting its client. */
function slotWords({ name, slots, cooldown, limits: { slots: most } }: AccountStatus): string {
  if (cooldown !== null) {
    return `waits for the first prompt of account ${name} after its usage limit`;
  }
  const used = most === null ? "" : ` (${String(slots)} of ${String(most)} in use)`;
  return `waits for a slot of account ${name}${used}`;
}

/** Agents whose step has begun, and waits to start its client. */
const STEPS = `
SELECT w.agent, w.account FROM raymond.waiters w JOIN raymond.holders h ON h.id = w.holder
 WHERE w.run = $1 AND w.agent <> '' AND raymond.is_alive(h) ORDER BY w.agent`;
