import type { RunId } from "../../../machine/model/run-state.ts";
import { batcher } from "../batcher.ts";
import type { Database, Prepared } from "../database.ts";

/** A statement that changes the rows of several runs independently. */
export interface RowChange<Request extends { readonly id: RunId }> {
  readonly name: string;
  /** Follows `WITH locked AS (…)`, which selects the runs to change. `$1`: the ids. Each result row has a `key`. */
  readonly text: string;
  /** The `key` of the result row of a request. */
  readonly keyOf: (request: Request) => string;
  /** The parameters `$2`, `$3` …; by default `$2` is the requests as JSON. */
  readonly values?: (requests: readonly Request[]) => readonly unknown[];
  /** The share of a request in the maximum batch size. */
  readonly weigh?: (request: Request) => number;
}

export interface Keyed {
  readonly key: string;
}

/**
 * Combines concurrent changes into one statement. Resolves with the result row, or null if the run was not
 * changed. A run that another transaction has locked, or that failed in the batch, is retried alone, so that
 * no run fails or waits because of another.
 */
export function rowChanger<Request extends { readonly id: RunId }, Row extends Keyed>(
  database: Pick<Database, "run">,
  change: RowChange<Request>,
): (request: Request) => Promise<Row | null> {
  const { name, text, keyOf, weigh } = change;
  const { values = (requests) => [JSON.stringify(requests)] } = change;
  const waiting: Prepared = { name, text: `WITH locked AS (${LOCK})${text}` };
  const skipping: Prepared = {
    name: `${name}_unlocked`,
    text: `WITH locked AS (${LOCK} SKIP LOCKED)${text}`,
  };
  const execute = (statement: Prepared, requests: readonly Request[]) =>
    database.run(async (on) => {
      const ids = requests.map(({ id }) => id);
      const rows = await on.query<Row>(statement, [ids, ...values(requests)]);
      const byKey = new Map(rows.map((row) => [row.key, row]));
      return requests.map((request) => byKey.get(keyOf(request)) ?? null);
    });
  const executeBatched = batcher((requests: readonly Request[]) => execute(skipping, requests), {
    weigh,
  });
  return async (request) => {
    const changed = await executeBatched(request);
    if (changed !== null) return changed;
    const [row = null] = await execute(waiting, [request]);
    return row;
  };
}

const LOCK = "SELECT id FROM raymond.runs WHERE id = ANY($1::text[]) FOR NO KEY UPDATE";
