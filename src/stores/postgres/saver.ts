import { randomUUID } from "node:crypto";
import type { RunId, RunState } from "../../core/machine/run-state.ts";
import { RunTakenError } from "../errors.ts";
import type { Payloads } from "../payload.ts";
import { printRun } from "../print-run.ts";
import type { Database, Queries } from "./database.ts";
import { RunFencedError } from "./errors.ts";
import { holderOfRun } from "./holders.ts";
import type { PendingRecords } from "./journal.ts";
import type { Snapshot } from "./placement.ts";
import { SUMMARY_COLUMNS, summaryRow } from "./run-row.ts";

/*
 * How a run comes into its row:
 *
 * P1  A save is one statement, and so one transaction: the state, the long texts that
 *     it names, what the journal tells of it, and what it has cost.
 * P2  It changes the row only where that has the version that it goes on from, and the
 *     epoch of whoever saves. Where it changes none, somebody else has saved the run or
 *     has taken it, and nothing of the save is there.
 * P3  Each save has a token, and leaves it in the row. Where the connection is lost
 *     around it the same is asked again: a row that has the token has the save.
 * P4  A save that has failed all the same may be done: the next one goes on from it
 *     as well, by its token.
 */

/** Writes the state of one run, again and again. */
export interface Saver {
  save(run: RunState, expected: number): Promise<void>;
}

/** What a saver asks of the store. */
export interface Claim {
  /** Of this process; null where it does not hold the run, and only the version counts. */
  readonly epoch: () => number | null;
  /** Of its files, what is written down with the save; null: what was written down before stays. */
  readonly snapshot: () => Snapshot | null;
}

/** The saver of a run; saves that are asked for together are done one after the other. */
export function saver(database: Database, id: RunId, claim: Claim, pending: PendingRecords): Saver {
  let last: Promise<void> = Promise.resolve();
  let known: Payloads = new Map();
  /** Names of the long texts that lie there; null: not known. */
  let lying: ReadonlySet<string> | null = null;
  /** Tokens of saves that have failed, and may be done (P4). */
  let unsure: readonly string[] = [];

  async function write(run: RunState, expected: number): Promise<void> {
    const token = randomUUID();
    const { text, payloads } = printRun(run, known);
    const files = new Map([...payloads].map(([long, { file }]) => [file, long]));
    const added = [...files].filter(([file]) => lying?.has(file) !== true);
    const removes = lying === null || [...lying].some((file) => !files.has(file));
    const { records, entries, keptFrom, settle } = pending.upTo(run.saves);
    const summary = summaryRow(run, payloads);
    const epoch = claim.epoch();
    const values = [
      ...[id, run.saves, token, text, expected, epoch, unsure],
      ...[added.map(([file]) => file), added.map(([, long]) => Buffer.from(long))],
      ...[removes, [...files.keys()]],
      ...[records.map(({ save }) => save), records.map(({ text: record }) => record)],
      ...[JSON.stringify(entries), keptFrom, snapshotJson(claim.snapshot())],
      ...SUMMARY_COLUMNS.map((column) => summary[column]),
    ];
    const attempt = async (on: Queries) => {
      const [{ saved } = { saved: 0 }] = await on.query<{ saved: number }>(SAVE, values);
      if (saved === 0) await requireSaved(on, id, { token, expected, epoch });
    };
    try {
      await database.run(attempt);
    } catch (error) {
      lying = null;
      const refused = error instanceof RunTakenError || error instanceof RunFencedError;
      if (!refused) unsure = [...unsure, token];
      throw error;
    }
    settle();
    unsure = [];
    known = payloads;
    lying = new Set(files.keys());
  }

  return {
    save: (run, expected) => {
      const mine = last.then(() => write(run, expected));
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}

/** What is added to the placement of a run. */
function snapshotJson(snapshot: Snapshot | null): string {
  return JSON.stringify(snapshot === null ? {} : { snapshot });
}

const SUMMARY_FROM = 17;
const COLUMNS = SUMMARY_COLUMNS.join(", ");
const VALUES = SUMMARY_COLUMNS.map((_, at) => `$${String(SUMMARY_FROM + at)}`).join(", ");
const UPDATES = SUMMARY_COLUMNS.map((column) => `${column} = excluded.${column}`).join(", ");

/** P1, P2. Where the row is gone, the run is begun anew, but not by one who holds it: then it was taken and removed. */
const SAVE = `
WITH saved AS (
  INSERT INTO raymond.runs AS r (id, version, token, state, epoch, ${COLUMNS})
  SELECT $1, $2, $3, $4, 0, ${VALUES}
  WHERE $6::bigint IS NULL OR EXISTS (SELECT 1 FROM raymond.runs WHERE id = $1)
  ON CONFLICT (id) DO UPDATE SET version = excluded.version, token = excluded.token,
    state = excluded.state, saved_at = now(), placement = r.placement || $16::jsonb, ${UPDATES}
  WHERE (r.state IS NULL OR r.version = $5 OR r.token = ANY($7::uuid[]))
    AND ($6::bigint IS NULL OR r.epoch = $6)
  RETURNING id, account
), texts AS (
  INSERT INTO raymond.payloads (run, file, bytes)
  SELECT saved.id, file, bytes FROM saved, unnest($8::text[], $9::bytea[]) AS added (file, bytes)
  ON CONFLICT DO NOTHING
), gone AS (
  DELETE FROM raymond.payloads USING saved
  WHERE $10::boolean AND run = saved.id AND NOT file = ANY($11::text[])
), told AS (
  INSERT INTO raymond.journal (run, save, record)
  SELECT saved.id, save, record FROM saved, unnest($12::bigint[], $13::text[])
    WITH ORDINALITY AS told (save, record, n) ORDER BY n
), forgotten AS (
  DELETE FROM raymond.journal AS j USING saved
  WHERE $15::bigint IS NOT NULL AND j.run = saved.id
    AND j.id < (SELECT max(id) FROM raymond.journal WHERE run = $1 AND save = $15)
), paid AS (
  INSERT INTO raymond.ledger (run, agent, process, state, account, micro_usd, estimated_micro_usd)
  SELECT saved.id, agent, process, entry.state, account, micro_usd, estimated_micro_usd
  FROM saved, jsonb_to_recordset($14::jsonb) AS entry
    (agent text, process bigint, state text, micro_usd bigint, estimated_micro_usd bigint)
  ON CONFLICT DO NOTHING
  RETURNING account, micro_usd + estimated_micro_usd AS spent
), days AS (
  INSERT INTO raymond.account_days AS d (account, day, micro_usd)
  SELECT account, (now() AT TIME ZONE 'UTC')::date, sum(spent) FROM paid
  WHERE account IS NOT NULL GROUP BY account
  ON CONFLICT (account, day) DO UPDATE SET micro_usd = d.micro_usd + excluded.micro_usd
)
SELECT count(*) AS saved FROM saved`;

/** Rejects unless the row has this very save (P3): why it could not be. */
async function requireSaved(
  on: Queries,
  id: RunId,
  { token, expected, epoch }: { token: string; expected: number; epoch: number | null },
): Promise<void> {
  const [row] = await on.query<{
    readonly version: number;
    readonly token: string | null;
    readonly epoch: number;
    readonly updated_at: string | null;
  }>("SELECT version, token, epoch, updated_at FROM raymond.runs WHERE id = $1", [id]);
  if (row?.token === token) return;
  const holder = await holderOfRun(on, id);
  if (row === undefined || (epoch !== null && row.epoch !== epoch)) {
    throw new RunFencedError(id, holder);
  }
  const { version: revision, updated_at: at } = row;
  throw new RunTakenError(id, { revision, expected, at, holder });
}
