import type { RunId } from "../../core/machine/run-state.ts";
import type { HeldUp } from "../../ports/store.ts";
import { type SeenAccount, seenAccounts } from "./accounts.ts";
import type { Queries } from "./database.ts";

/** What keeps steps of a run of the fleet that its state does not tell of: its account. Most runs have none. */
export async function stepsHeldUp(on: Queries, id: RunId): Promise<readonly HeldUp[]> {
  const steps = await on.query<{ agent: string; account: string }>(STEPS, [id]);
  const [first] = steps;
  const [seen] = first === undefined ? [] : await seenAccounts(on, first.account);
  if (seen === undefined) return [];
  const message = slotWords(seen);
  return steps.map(({ agent }) => ({ agent, message }));
}

/** What keeps a prompt step of the account from starting its client. */
function slotWords({ name, slots, cooldown, limits: { slots: most } }: SeenAccount): string {
  if (cooldown !== null) {
    return `waits for the first prompt of the account ${name} after its usage limit`;
  }
  const taken = most === null ? "" : ` (${String(slots)} of ${String(most)} are taken)`;
  return `waits for a slot of the account ${name}${taken}`;
}

/** Agents whose step has begun, and waits to start its client. */
const STEPS = `
SELECT w.agent, w.account FROM raymond.waiters w JOIN raymond.holders h ON h.id = w.holder
 WHERE w.run = $1 AND w.agent <> '' AND raymond.lives(h) ORDER BY w.agent`;
