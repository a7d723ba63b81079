import type { RunId } from "../../../machine/run-state.ts";
import { batcher } from "../batcher.ts";
import type { Database, Prepared, Queries } from "../database.ts";

/** A statement that changes the rows of several runs, each of them for itself. */
export interface RowChange<Asked> {
  readonly name: string;
  /** It has the ids of the runs in `$1`, and changes those that `locked` gives. Each row of its answer has a `key`. */
  readonly text: (locked: string) => string;
  readonly idOf: (asked: Asked) => RunId;
  /** Says which answer is to what. */
  readonly keyOf: (asked: Asked) => string;
  /** What stands for `$2` and the following. */
  readonly values: (asked: readonly Asked[]) => readonly unknown[];
  /** Which part it is of the most that may be asked at once. */
  readonly weigh?: (asked: Asked) => number;
}

/** An answer to one of those that were asked. */
export interface Keyed {
  readonly key: string;
}

/**
 * Changes rows together that are to be changed at the same time. Resolves with the answer, or with null
 * where the row was not changed. One that somebody has locked, or that failed with the others, is asked
 * for alone: none fails, or waits, for another.
 */
export function rowChanger<Asked, Row extends Keyed>(
  database: Pick<Database, "run">,
  change: RowChange<Asked>,
): (asked: Asked) => Promise<Row | null> {
  const { name, text, idOf, keyOf, values, weigh } = change;
  const free: Prepared = {
    name: `${name}_free`,
    text: text(`${LOCKED} FOR NO KEY UPDATE SKIP LOCKED`),
  };
  const waiting: Prepared = { name, text: text(`${LOCKED} FOR NO KEY UPDATE`) };
  const ask = async (on: Queries, statement: Prepared, asked: readonly Asked[]) => {
    const rows = await on.query<Row>(statement, [asked.map(idOf), ...values(asked)]);
    const byKey = new Map(rows.map((row) => [row.key, row]));
    return asked.map((each) => byKey.get(keyOf(each)) ?? null);
  };
  const askFree = batcher<Asked, Row | null>(
    (all) => database.run((on) => ask(on, free, all)),
    weigh,
  );
  return async (asked) => {
    const changed = await askFree(asked);
    if (changed !== null) return changed;
    const [row = null] = await database.run((on) => ask(on, waiting, [asked]));
    return row;
  };
}

const LOCKED = "SELECT id FROM raymond.runs WHERE id = ANY($1::text[])";
