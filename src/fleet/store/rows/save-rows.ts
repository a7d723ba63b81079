import type { RunId } from "../../../machine/model/run-state.ts";
import type { LedgerEntry } from "../ledger.ts";
import type { RowChange } from "./row-change.ts";
import { SUMMARY_TYPES, type SummaryRow } from "./run-row.ts";

export interface SaveRequest {
  readonly id: RunId;
  readonly row: SavedRow & SummaryRow;
  /** Long texts that are not stored yet. */
  readonly added: readonly (readonly [file: string, text: string])[];
  readonly records: readonly { readonly save: number; readonly text: string }[];
  readonly entries: readonly LedgerEntry[];
}

interface SavedRow {
  readonly version: number;
  readonly token: string;
  readonly state: string;
  /** The version on which the save is based. */
  readonly expected: number;
  /** Null if this process does not hold the run: then only the version is checked. */
  readonly epoch: number | null;
  /** Tokens of earlier saves that may have been committed (P4 in saver.ts). */
  readonly unsure: readonly string[];
  readonly placed: object;
  /** Names of all long texts of the state, if others may be stored; else null. */
  readonly needed: readonly string[] | null;
  /** Journal records before the one of this save are deleted; null: none. */
  readonly kept_from: number | null;
}

/** Maximum size of a statement, unless a single save is larger. */
const MAX_BYTES = 1_000_000;

function bytesOf({ row: { state }, records, added }: SaveRequest): number {
  const recordBytes = records.reduce((sum, { text }) => sum + text.length, 0);
  return added.reduce((sum, [, text]) => sum + text.length, state.length + recordBytes);
}

const SUMMARY = Object.entries(SUMMARY_TYPES);
const COLUMNS = Object.keys(SUMMARY_TYPES).join(", ");
const REQUEST_COLUMNS = `id text, version bigint, token uuid, state text, expected bigint, epoch bigint, unsure uuid[],
  placed jsonb, needed text[], kept_from bigint, ${SUMMARY.map((column) => column.join(" ")).join(", ")}`;
const UPDATES = SUMMARY.map(([column]) => `${column} = a.${column}`).join(", ");

/** P2 in saver.ts */
const IS_CURRENT = `(r.state IS NULL OR r.version = a.expected OR r.token = ANY(a.unsure))
    AND (a.epoch IS NULL OR r.epoch = a.epoch)`;

/** P1, P2. If the row was deleted, a process without a claim creates the run again. With a claim, the save fails. */
const SAVE_TEXT = `, requests AS (
  SELECT * FROM jsonb_to_recordset($2::jsonb) AS request (${REQUEST_COLUMNS})
), changed AS (
  UPDATE raymond.runs AS r SET version = a.version, token = a.token, state = a.state,
    saved_at = now(), placement = r.placement || a.placed, ${UPDATES}
  FROM requests AS a JOIN locked USING (id)
  WHERE r.id = a.id AND r.id = ANY($1::text[]) AND ${IS_CURRENT}
  RETURNING r.id, r.account, r.token
), made AS (
  INSERT INTO raymond.runs (id, version, token, state, epoch, ${COLUMNS})
  SELECT id, version, token, state, 0, ${COLUMNS} FROM requests AS a
  WHERE epoch IS NULL AND NOT EXISTS (SELECT 1 FROM raymond.runs WHERE id = a.id)
  ON CONFLICT DO NOTHING
  RETURNING id, account, token
), saved AS (
  SELECT * FROM changed UNION ALL SELECT * FROM made
), texts AS (
  INSERT INTO raymond.payloads (run, file, bytes)
  SELECT id, file, bytes FROM unnest($5::text[], $6::text[], $7::bytea[]) AS added (id, file, bytes)
    JOIN saved USING (id)
  ON CONFLICT DO NOTHING
), gone AS (
  DELETE FROM raymond.payloads AS p USING saved JOIN requests AS a USING (id)
  WHERE p.run = ANY($1::text[]) AND p.run = saved.id AND NOT p.file = ANY(a.needed)
), recorded AS (
  INSERT INTO raymond.journal (run, save, record)
  SELECT id, save, text FROM saved JOIN ROWS FROM (
      jsonb_to_recordset($3::jsonb) AS (id text, save bigint, text text)
    ) WITH ORDINALITY AS record (id, save, text, n) USING (id) ORDER BY n
), forgotten AS (
  DELETE FROM raymond.journal AS j USING saved JOIN requests AS a USING (id)
  WHERE a.kept_from IS NOT NULL AND j.run = saved.id
    AND j.id < (SELECT max(id) FROM raymond.journal WHERE run = a.id AND save = a.kept_from)
), paid AS (
  INSERT INTO raymond.ledger (run, agent, process, state, account, micro_usd, estimated_micro_usd)
  SELECT id, agent, process, state, account, micro_usd, estimated_micro_usd
  FROM saved JOIN jsonb_to_recordset($4::jsonb) AS entry
    (id text, agent text, process bigint, state text, micro_usd bigint, estimated_micro_usd bigint) USING (id)
  ON CONFLICT DO NOTHING
  RETURNING account, micro_usd + estimated_micro_usd AS spent
), days AS (
  INSERT INTO raymond.account_days AS d (account, day, micro_usd)
  SELECT account, (now() AT TIME ZONE 'UTC')::date, sum(spent) FROM paid
  WHERE account IS NOT NULL GROUP BY account ORDER BY account
  ON CONFLICT (account, day) DO UPDATE SET micro_usd = d.micro_usd + excluded.micro_usd
)
SELECT token AS key FROM saved`;

/** Saves several runs, each completely or not at all. */
export const SAVE: RowChange<SaveRequest> = {
  name: "save",
  text: SAVE_TEXT,
  keyOf: ({ row }) => row.token,
  values: (requests) => {
    const rows = requests.map(({ id, row }) => ({ id, ...row }));
    const records = requests.flatMap(({ id, records }) =>
      records.map(({ save, text }) => ({ id, save, text })),
    );
    const entries = requests.flatMap(({ id, entries }) =>
      entries.map((entry) => ({ id, ...entry })),
    );
    const texts = requests.flatMap(({ id, added }) =>
      added.map(([file, text]) => ({ id, file, bytes: Buffer.from(text) })),
    );
    return [
      ...[rows, records, entries].map((each) => JSON.stringify(each)),
      ...[texts.map(({ id }) => id), texts.map(({ file }) => file)],
      texts.map(({ bytes }) => bytes),
    ];
  },
  weigh: (request) => bytesOf(request) / MAX_BYTES,
};
