import type { RunId } from "../../core/machine/run-state.ts";
import { printRate } from "../../core/rate.ts";
import type { HeldUp } from "../../ports/store.ts";
import { type SeenAccount, seenAccounts } from "./accounts.ts";
import type { Queries } from "./database.ts";
import { tied } from "./placement.ts";

/** What keeps a run of the fleet that its state does not tell of: its account. Most runs have none. */
export async function heldUp(on: Queries, id: RunId): Promise<readonly HeldUp[]> {
  return [...(await runHeldUp(on, id)), ...(await stepsHeldUp(on, id))];
}

async function stepsHeldUp(on: Queries, id: RunId): Promise<readonly HeldUp[]> {
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

async function runHeldUp(on: Queries, id: RunId): Promise<readonly HeldUp[]> {
  const [run] = await on.query<Waiting>(WAITING, [id]);
  if (run === undefined) return [];
  const { account, having, there, waits } = run;
  if (!there) {
    const who = having.length === 0 ? "no machine has it" : `gone: ${having.join(", ")}`;
    return [{ agent: null, message: `waits for a worker with the account ${account} (${who})` }];
  }
  if (!waits) return [];
  const [seen] = await seenAccounts(on, account);
  return seen === undefined ? [] : [{ agent: null, message: admissionWords(seen) }];
}

/** What keeps a run of the account from beginning. */
function admissionWords({ name, runs, begun, limits: { runs: most, rate } }: SeenAccount): string {
  const may = `waits until the account ${name} may have one more run`;
  if (most !== null && runs >= most) return `${may} (${String(runs)} of ${String(most)} go on)`;
  if (rate === null || begun < rate.runs) return may;
  return `${may} (${String(begun)} of ${printRate(rate)} have begun)`;
}

interface Waiting {
  readonly account: string;
  /** The machines that have it, and may take the run. */
  readonly having: readonly string[];
  /** One of them lives. */
  readonly there: boolean;
  /** One of them has it, and does not let it in yet. */
  readonly waits: boolean;
}

/** Agents whose step has begun, and waits to start its client. */
const STEPS = `
SELECT w.agent, w.account FROM raymond.waiters w JOIN raymond.holders h ON h.id = w.holder
 WHERE w.run = $1 AND w.agent <> '' AND raymond.lives(h) ORDER BY w.agent`;

/** A run that has an account, and that nobody goes on with who lives. */
const WAITING = `
SELECT r.account, coalesce(array_agg(m.id ORDER BY m.id) FILTER (WHERE m.id IS NOT NULL), '{}') AS having,
       coalesce(bool_or(raymond.lives(h)), false) AS there,
       EXISTS (SELECT 1 FROM raymond.waiters w JOIN raymond.holders wh ON wh.id = w.holder
                WHERE w.run = r.id AND w.agent = '' AND raymond.lives(wh)) AS waits
  FROM raymond.runs r
  LEFT JOIN raymond.holders own ON own.id = r.holder
  LEFT JOIN raymond.machines m ON r.account = ANY(m.accounts) AND CASE
    WHEN r.placement->>'pinned' IS NOT NULL THEN m.id = r.placement->>'pinned'
    WHEN ${tied("r")} THEN m.id = r.home
    ELSE r.pool = ANY(m.pools) END
  LEFT JOIN raymond.holders h ON h.id = m.holder
 WHERE r.id = $1 AND r.account IS NOT NULL AND r.placement @> '{"open": true}'
   AND (own.id IS NULL OR NOT raymond.lives(own))
 GROUP BY r.id`;
