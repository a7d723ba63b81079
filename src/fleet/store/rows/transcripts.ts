import type { SessionId } from "../../../machine/agent.ts";
import type { RunId } from "../../../machine/run-state.ts";
import type { TranscriptFile, TranscriptStore } from "../../../storage/transcript-store.ts";
import { fleetErrors } from "../../errors.ts";
import { holderOfRun } from "../../lease/holders.ts";
import type { Database } from "../database.ts";

/** Conversations in the database itself. `epoch`: of this process, and who has a later one is not disturbed. */
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
    drop: async (sessions) => {
      await database.query(
        `DELETE FROM raymond.transcripts WHERE run = $1 AND session = ANY($2)
            AND EXISTS (SELECT 1 FROM raymond.runs WHERE id = $1 AND epoch = $3)`,
        [run, sessions, epoch],
      );
    },
  };
}

/** Nobody takes the run while this is written, and who has taken it before sees nothing of it. */
export const MINE = "mine AS (SELECT id FROM raymond.runs WHERE id = $1 AND epoch = $2 FOR SHARE)";

const WRITE = `
WITH ${MINE}, gone AS (
  DELETE FROM raymond.transcripts AS t USING mine
  WHERE t.run = mine.id AND t.session = $3 AND t.file = $4 AND t.start > $5
), cut AS (
  UPDATE raymond.transcripts AS t SET bytes = substring(t.bytes FROM 1 FOR ($5 - t.start)::integer)
  FROM mine
  WHERE t.run = mine.id AND t.session = $3 AND t.file = $4
    AND t.start < $5 AND t.start + length(t.bytes) > $5
), written AS (
  INSERT INTO raymond.transcripts (run, session, file, start, epoch, bytes)
  SELECT mine.id, $3, $4, $5, $2, $6 FROM mine
  ON CONFLICT (run, session, file, start) DO UPDATE SET epoch = excluded.epoch, bytes = excluded.bytes
  RETURNING 1
)
SELECT count(*) AS written FROM written`;

/** Rejects, as a save does by one who has lost the run. */
export async function refuseFenced(database: Database, run: RunId): Promise<never> {
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

/** How much of each conversation the saves of a run build on. */
export interface ConversationLengths {
  /** Those on which this save builds, and no later one: what was noted for one that never came goes. */
  upTo(save: number): Promise<ReadonlyMap<SessionId, number>>;
  /** To be called before the save: lengths from it on. */
  note(save: number, lengths: ReadonlyMap<SessionId, number>): Promise<void>;
  drop(sessions: readonly SessionId[]): Promise<void>;
}

/** The lengths as the database has them, whatever keeps the conversations. */
export function conversationLengths(
  database: Database,
  run: RunId,
  epoch: number,
): ConversationLengths {
  return {
    upTo: async (save) => {
      const rows = await database.transaction(async (on) => {
        const mine = await on.query(`WITH ${MINE} SELECT id FROM mine`, [run, epoch]);
        if (mine.length === 0) return null;
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
    note: async (save, lengths) => {
      const values = [run, epoch, save, [...lengths.keys()], [...lengths.values()]];
      const [row] = await database.query<{ noted: number }>(NOTE, values);
      if (row?.noted !== lengths.size) await refuseFenced(database, run);
    },
    drop: async (sessions) => {
      await database.query(
        `DELETE FROM raymond.conversations WHERE run = $1 AND session = ANY($2)
            AND EXISTS (SELECT 1 FROM raymond.runs WHERE id = $1 AND epoch = $3)`,
        [run, sessions, epoch],
      );
    },
  };
}

/** Where the save does not come, the length before it is what counts: the last one below it stays. */
const NOTE = `
WITH ${MINE}, old AS (
  DELETE FROM raymond.conversations AS c USING mine
  WHERE c.run = mine.id AND c.session = ANY($4) AND c.save < (
    SELECT max(save) FROM raymond.conversations
    WHERE run = c.run AND session = c.session AND save < $3
  )
), noted AS (
  INSERT INTO raymond.conversations (run, session, save, length)
  SELECT mine.id, session, $3, length
  FROM mine, unnest($4::text[], $5::bigint[]) AS noted (session, length)
  ON CONFLICT (run, session, save) DO UPDATE SET length = excluded.length
  RETURNING 1
)
SELECT count(*) AS noted FROM noted`;
