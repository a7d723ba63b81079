import type { SessionId } from "../../../machine/model/agent.ts";
import type { RunId } from "../../../machine/model/run-state.ts";
import type { TranscriptFile, TranscriptStore } from "../../conversations/transcript-store.ts";
import { fleetErrors } from "../../errors.ts";
import { holderOfRun } from "../../lease/holders.ts";
import type { Database } from "../database.ts";

/** Conversations in the database. Writes with an `epoch` that is no longer current are rejected. */
export function transcriptTable(database: Database, run: RunId, epoch: number): TranscriptStore {
  return {
    files: async (session) => {
      const rows = await database.query<{ file: string; size: number }>(
        `SELECT file, max(start + length(bytes)) AS size FROM raymond.transcripts
          WHERE run = $1 AND session = $2 AND file <> '' GROUP BY file`,
        [run, session],
      );
      return new Map(rows.map(({ file, size }) => [file, size]));
    },
    write: async ({ session, name }, start, bytes) => {
      const values = [run, epoch, session, name, start, bytes];
      const [row] = await database.query<{ written: number }>(WRITE, values);
      if (row?.written !== 1) await refuseFenced(database, run);
    },
    read: (file, length) => pieces(database, run, file, length),
    drop: (sessions) => deleteSessions(database, "transcripts", run, sessions, epoch),
  };
}

async function deleteSessions(
  database: Database,
  table: "transcripts" | "conversations",
  run: RunId,
  sessions: readonly SessionId[],
  epoch: number,
): Promise<void> {
  await database.query(
    `DELETE FROM raymond.${table} WHERE run = $1 AND session = ANY($2)
        AND EXISTS (SELECT 1 FROM raymond.runs WHERE id = $1 AND epoch = $3)`,
    [run, sessions, epoch],
  );
}

/** Selects the run if this process still holds it, and prevents claims until the end of the statement. */
const HELD = "held AS (SELECT id FROM raymond.runs WHERE id = $1 AND epoch = $2 FOR SHARE)";

const WRITE = `
WITH ${HELD}, gone AS (
  DELETE FROM raymond.transcripts AS t USING held
  WHERE t.run = held.id AND t.session = $3 AND t.file = $4 AND t.start > $5
), cut AS (
  UPDATE raymond.transcripts AS t SET bytes = substring(t.bytes FROM 1 FOR ($5 - t.start)::integer)
  FROM held
  WHERE t.run = held.id AND t.session = $3 AND t.file = $4
    AND t.start < $5 AND t.start + length(t.bytes) > $5
), written AS (
  INSERT INTO raymond.transcripts (run, session, file, start, epoch, bytes)
  SELECT held.id, $3, $4, $5, $2, $6 FROM held
  ON CONFLICT (run, session, file, start) DO UPDATE SET epoch = excluded.epoch, bytes = excluded.bytes
  RETURNING 1
)
SELECT count(*) AS written FROM written`;

/** Rejects like a save of a process that has lost the run. */
async function refuseFenced(database: Database, run: RunId): Promise<never> {
  throw fleetErrors["store/run-taken"](run, await database.run((on) => holderOfRun(on, run)));
}

async function* pieces(
  database: Database,
  run: RunId,
  { session, name }: TranscriptFile,
  length: number,
): AsyncIterable<Buffer> {
  for (let at = 0; at < length; ) {
    const [piece] = await database.query<{ bytes: Buffer }>(
      "SELECT bytes FROM raymond.transcripts WHERE run = $1 AND session = $2 AND file = $3 AND start = $4",
      [run, session, name, at],
    );
    if (piece === undefined || piece.bytes.length === 0) return;
    yield piece.bytes.subarray(0, length - at);
    at += piece.bytes.length;
  }
}

export type ConversationLengths = ReturnType<typeof conversationLengths>;

/**
 * The lengths of the conversations on which the saves of a run are based. They are always in the database,
 * wherever the conversations are.
 */
export function conversationLengths(database: Database, run: RunId, epoch: number) {
  return {
    /** The lengths for this save. Deletes those for later saves, which have failed. */
    upTo: async (save: number): Promise<ReadonlyMap<SessionId, number>> => {
      const rows = await database.transaction(async (on) => {
        const held = await on.query(`WITH ${HELD} SELECT id FROM held`, [run, epoch]);
        if (held.length === 0) return null;
        await on.query("DELETE FROM raymond.conversations WHERE run = $1 AND save > $2", [
          run,
          save,
        ]);
        return on.query<{ session: SessionId; length: number }>(
          `SELECT DISTINCT ON (session) session, length FROM raymond.conversations
            WHERE run = $1 ORDER BY session, save DESC`,
          [run],
        );
      });
      if (rows === null) return refuseFenced(database, run);
      return new Map(rows.map(({ session, length }) => [session, length]));
    },
    /** Stores changed lengths before their save. */
    note: async (save: number, lengths: ReadonlyMap<SessionId, number>): Promise<void> => {
      const values = [run, epoch, save, [...lengths.keys()], [...lengths.values()]];
      const [row] = await database.query<{ noted: number }>(NOTE, values);
      if (row?.noted !== lengths.size) await refuseFenced(database, run);
    },
    drop: (sessions: readonly SessionId[]) =>
      deleteSessions(database, "conversations", run, sessions, epoch),
  };
}

/** Keeps the last length before this save, which counts if the save fails. */
const NOTE = `
WITH ${HELD}, old AS (
  DELETE FROM raymond.conversations AS c USING held
  WHERE c.run = held.id AND c.session = ANY($4) AND c.save < (
    SELECT max(save) FROM raymond.conversations
    WHERE run = c.run AND session = c.session AND save < $3
  )
), noted AS (
  INSERT INTO raymond.conversations (run, session, save, length)
  SELECT held.id, session, $3, length
  FROM held, unnest($4::text[], $5::bigint[]) AS noted (session, length)
  ON CONFLICT (run, session, save) DO UPDATE SET length = excluded.length
  RETURNING 1
)
SELECT count(*) AS noted FROM noted`;
