import type { Store } from "../../engine/ports/store.ts";
import { eventLog, lastSeq } from "../../log/event-log.ts";
import type { RunId } from "../../machine/model/run-state.ts";
import { LOCAL, NO_QUEUE, type RunQueue, type RunSource } from "../../wire/run-source.ts";
import { fleetErrors } from "../errors.ts";
import { waitReasons } from "../queue/wait-reasons.ts";
import { recordAudit } from "./audit.ts";
import type { Database, Queries } from "./database.ts";
import { eventTable, eventWriter, lastStored } from "./events.ts";
import { journalRows } from "./journal.ts";
import { answerPoll, answerRows } from "./rows/answers.ts";
import { expectedRuns } from "./rows/placed-runs.ts";
import type { PostgresStore } from "./store.ts";

/**
 * The runs of a fleet. `queue`: null for a worker, which does not change the queues, and also writes events
 * into log files of its machine.
 */
export function fleetRuns<S extends PostgresStore>(
  database: Database,
  store: S,
  queue: Pick<RunQueue, "withdraw" | "startNow" | "requeue"> | null,
): S & RunSource {
  const logFiles = queue === null;
  const writer = eventWriter(database);
  const poll = answerPoll(database);
  return {
    ...store,
    ...LOCAL,
    inProject: false,
    openJournal: (id) => Promise.resolve({ ...store.journal(id), close: () => undefined }),
    journalText: (id) => journalRows(database, id),
    answers: (id, warn) => Promise.resolve(answerRows(database, id, poll, warn)),
    eventWriter: async (id, clock, warn) => {
      const table = eventTable(writer, id, clock, warn);
      if (!logFiles) return table;
      const file = eventLog((await store.artifacts(id)).events, clock, warn);
      return {
        notify: (event, run, seq) => {
          file.notify(event, run, seq);
          table.notify(event, run, seq);
        },
        close: async () => {
          await Promise.all([file.close?.(), table.close?.()]);
        },
      };
    },
    lastEvent: async (id) => {
      const stored = await lastStored(database, id);
      return logFiles ? Math.max(stored, lastSeq((await store.artifacts(id)).events)) : stored;
    },
    sendRequest: async (id, _holder, request) => {
      const [row] = await database.query<{ id: number }>(
        "INSERT INTO raymond.control_requests (run, request) VALUES ($1, $2) RETURNING id",
        [id, JSON.stringify(request)],
      );
      return async () => {
        const withdraw = "DELETE FROM raymond.control_requests WHERE id = $1 RETURNING id";
        return (await database.query(withdraw, [row?.id])).length > 0;
      };
    },
    audit: (run, action, actor) => recordAudit(database, { run, action, actor }),
    sizes: (ids) => sizesOf(database, ids),
    queue: {
      ...(queue ?? NO_QUEUE),
      expected: () => expectedRuns(database),
      waitReasons: (id) => waitReasons(database, id),
    },
    lostAdvice: null,
  };
}

/** Bytes that each run uses in the tables. The server may reuse them only later. */
async function sizesOf(on: Queries, ids: readonly RunId[]): Promise<ReadonlyMap<RunId, number>> {
  const rows = await on.query<{ id: RunId; bytes: number }>(SIZES, [ids]);
  return new Map(rows.map(({ id, bytes }) => [id, bytes]));
}

/** Tables with much data of a run, and their large columns. */
const LARGE = [
  ["payloads", "bytes"],
  ["events", "line"],
  ["journal", "record"],
  ["transcripts", "bytes"],
] as const;

const SIZES = `
SELECT id, (coalesce(octet_length(state), 0)${LARGE.map(
  ([table, column]) =>
    ` + (SELECT coalesce(sum(octet_length(${column})), 0) FROM raymond.${table} WHERE run = r.id)`,
).join("")})::bigint AS bytes
FROM raymond.runs r WHERE id = ANY($1)`;

/** A store that can be closed: then it refuses all saves. */
export interface CloseableStore {
  closeSaves(): void;
  isClosed(): boolean;
}

/** Closes when the lease is lost. */
export function closeableStore<S extends Store>(store: S, lost: AbortSignal): S & CloseableStore {
  let closed = false;
  const isClosed = () => closed || lost.aborted;
  return {
    ...store,
    save: async (run, expected) => {
      if (isClosed()) throw fleetErrors["fleet/worker-over"](run.id);
      await store.save(run, expected);
    },
    closeSaves: () => {
      closed = true;
    },
    isClosed,
  };
}
