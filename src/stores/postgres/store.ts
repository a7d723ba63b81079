import { rm } from "node:fs/promises";
import path from "node:path";
import type { RunId } from "../../core/machine/run-state.ts";
import { runIdProblem } from "../../core/run-id.ts";
import type { Journal } from "../../ports/journal.ts";
import type { Claiming, LockHolder, RunLock, RunSummary, Store } from "../../ports/store.ts";
import { BadRunIdError, DamagedStateError, RunLockedError } from "../errors.ts";
import { parseDocument } from "../parse-document.ts";
import { referenceTo } from "../payload.ts";
import { artifactsOf, type RunHome } from "../run-home.ts";
import { decodeRun, payloadReferences } from "../state-document.ts";
import type { Database, Queries } from "./database.ts";
import { COLUMNS, decode, type HolderRow, holderOfRun, livingHolders } from "./holders.ts";
import { tableJournal } from "./journal.ts";
import type { Snapshot } from "./placement.ts";
import { type Presence, showPresence } from "./presence.ts";
import { type ListedRow, SUMMARY_COLUMNS, summaryOf } from "./run-row.ts";
import { type Saver, saver, saveWriter } from "./saver.ts";

/** Runs in a PostgreSQL database (docs/fleet.md, "The database"). */
export interface PostgresStore extends Store {
  /** The journal of a run: what is written down there goes into the database with its save. */
  journal(id: RunId): Journal;
  /** The number of takings of a run by which it is this process's; null where it is not. */
  epoch(id: RunId): number | null;
  /** Lets go of what holds its locks. */
  close(): Promise<void>;
}

export interface PostgresStoreOptions {
  /** The row of `raymond.holders` that is this process: a worker's, by its lease. Else the store makes one. */
  readonly holder?: number | undefined;
  readonly pid?: number;
  /** Names this process beyond its pid. */
  readonly identity?: string;
  /** What is written down of the files of a run with each save. */
  readonly snapshot?: (id: RunId) => Snapshot | null;
}

/** The runs of this database; their artifacts lie below `root`, on this machine. */
export function postgresStore(
  database: Database,
  root: string,
  options: PostgresStoreOptions = {},
): PostgresStore {
  const { pid = process.pid, identity = String(pid), snapshot = () => null } = options;
  const journals = new Map<RunId, ReturnType<typeof tableJournal>>();
  const savers = new Map<RunId, Saver>();
  const epochs = new Map<RunId, number>();
  const claiming = new Set<RunId>();
  const write = saveWriter(database);
  let presence: Promise<Presence> | null = null;

  const ownHolder = async (): Promise<number> => {
    if (options.holder !== undefined) return options.holder;
    presence ??= showPresence(database, { pid, identity }).catch((error: unknown) => {
      presence = null;
      throw error;
    });
    return (await presence).holder;
  };
  const journalOf = (id: RunId) => kept(journals, id, tableJournal);
  const saverOf = (id: RunId) =>
    kept(savers, id, () =>
      saver(
        id,
        { epoch: () => epochs.get(id) ?? null, snapshot: () => snapshot(id) },
        journalOf(id),
        write,
      ),
    );
  const claim = async (id: RunId, { takeOver = false }: Claiming = {}) => {
    // What this process has taken by a question whose answer was lost, it takes again.
    const again = !epochs.has(id) && !claiming.has(id);
    if (again) claiming.add(id);
    try {
      const holder = await ownHolder();
      const taken = await database.run((on) => takeRun(on, id, { holder, takeOver, again }));
      if ("refusedBy" in taken) throw new RunLockedError(id, taken.refusedBy);
      return taken;
    } finally {
      if (again) claiming.delete(id);
    }
  };

  return {
    save: async (run, expected) => {
      refuseBadId(run.id);
      await saverOf(run.id).save(run, expected);
    },

    load: async (id) => {
      refuseBadId(id);
      const [row] = await database.query<StateRow>(LOAD, [id]);
      return row === undefined ? undefined : decodeRow(id, row, database);
    },

    list: () => database.run(listRuns),

    lock: async (id, how) => {
      refuseBadId(id);
      const { epoch, takenFrom } = await claim(id, how);
      epochs.set(id, epoch);
      return { takenFrom, release: releasing(id, epoch) };
    },

    holder: async (id) => {
      refuseBadId(id);
      return database.run((on) => holderOfRun(on, id));
    },

    remove: async (id, how) => {
      refuseBadId(id);
      const { epoch } = await claim(id, how);
      await database.query("DELETE FROM raymond.runs WHERE id = $1 AND epoch = $2", [id, epoch]);
      savers.delete(id);
      journals.delete(id);
      const home = homeOf(root, id);
      await rm(artifactsOf(home).debug, { recursive: true, force: true });
      await rm(home.folder, { recursive: true, force: true });
    },

    artifacts: async (id) => {
      refuseBadId(id);
      return Promise.resolve(artifactsOf(homeOf(root, id)));
    },

    journal: journalOf,
    epoch: (id) => epochs.get(id) ?? null,
    close: async () => {
      const shown = presence;
      presence = null;
      await (await shown?.catch(() => null))?.end();
    },
  };

  function releasing(id: RunId, epoch: number): RunLock["release"] {
    let released: Promise<void> | null = null;
    const release = async () => {
      if (epochs.get(id) === epoch) epochs.delete(id);
      // Where the database is away, the lock ends with this process, at the latest.
      await database
        .query("UPDATE raymond.runs SET holder = NULL WHERE id = $1 AND epoch = $2", [id, epoch])
        .catch(() => undefined);
    };
    return () => (released ??= release());
  }
}

/** A run that was taken, or who has it. */
type Taken =
  | { readonly epoch: number; readonly takenFrom: LockHolder | null }
  | { readonly refusedBy: LockHolder };

/**
 * Takes a run that nobody has who lives, and raises its epoch. `takeOver`: one that was
 * silent for some beats is taken for dead.
 */
async function takeRun(on: Queries, id: RunId, by: Taking): Promise<Taken> {
  const [before] = await on.query<TakenRow>(
    `SELECT ${COLUMNS}, r.epoch,
        h.id IS NULL OR NOT raymond.lives(h) OR ($2 AND ${SILENT}) OR ($3 AND h.id = $4) AS free
      FROM raymond.runs r LEFT JOIN raymond.holders h ON h.id = r.holder WHERE r.id = $1`,
    [id, by.takeOver, by.again, by.holder],
  );
  if (before?.free === false) return { refusedBy: decode(before) };
  const [after] = await on.query<{ readonly epoch: number }>(
    `INSERT INTO raymond.runs AS r (id, epoch, holder) VALUES ($1, nextval('raymond.epochs'), $2)
      ON CONFLICT (id) DO UPDATE SET epoch = nextval('raymond.epochs'), holder = $2
      WHERE r.epoch = $3 RETURNING epoch`,
    [id, by.holder, before?.epoch ?? null],
  );
  // Another was faster.
  if (after === undefined) return takeRun(on, id, by);
  const isDead =
    by.takeOver && before !== undefined && before.row !== null && before.row !== by.holder;
  return { epoch: after.epoch, takenFrom: isDead ? decode(before) : null };
}

/** A run as it is before it is taken; `row` is null where nobody has it. */
interface TakenRow extends Omit<HolderRow, "row"> {
  readonly row: number | null;
  readonly epoch: number;
  readonly free: boolean;
}

/** How a run is taken. */
interface Taking {
  readonly holder: number;
  readonly takeOver: boolean;
  /** Also where this very holder has it. */
  readonly again: boolean;
}

/** Nobody is taken for dead who has been heard since. */
const SILENT = "h.heard_at < clock_timestamp() - interval '10 seconds'";

/** A state, and the long texts that it names, as of one moment. */
interface StateRow {
  readonly state: string;
  readonly files: readonly string[] | null;
  readonly texts: readonly Buffer[] | null;
}

const LOAD = `
SELECT state, files, texts FROM raymond.runs r LEFT JOIN LATERAL (
  SELECT array_agg(file) AS files, array_agg(bytes) AS texts FROM raymond.payloads WHERE run = r.id
) AS p ON true
WHERE id = $1 AND state IS NOT NULL`;

function decodeRow(id: RunId, { state, files, texts }: StateRow, { address }: Database) {
  const place = `of ${id} in ${address.shown}`;
  const document = parseDocument(state, place);
  if (document.workflow_id !== id) {
    const reason = `is "${document.workflow_id}", but its row is that of another run`;
    throw new DamagedStateError(place, "workflow_id", reason);
  }
  const found = new Map((files ?? []).map((file, at) => [file, String(texts?.[at] ?? "")]));
  for (const { file, bytes } of payloadReferences(document)) {
    const text = found.get(file);
    const named = text === undefined ? null : referenceTo(text);
    if (named?.file === file && named.bytes === bytes) continue;
    const reason = `refers to ${file}, which is not there as it was written`;
    throw new DamagedStateError(place, null, reason);
  }
  return decodeRun(document, ({ file }) => found.get(file) ?? "");
}

/** So many at once: the database need not hold all of them for us. */
const PAGE = 1_000;

/** All runs, the last started first, by the index of their starts. */
async function listRuns(on: Queries): Promise<readonly RunSummary[]> {
  const living = await livingHolders(on);
  const found: RunSummary[] = [];
  for (;;) {
    const last = found.at(-1);
    const rows = await on.query<ListedRow>(LIST, [last?.startedAt ?? null, last?.id ?? null, PAGE]);
    found.push(...rows.map((row) => summaryOf(row, living)));
    if (rows.length < PAGE) return found;
  }
}

/** @public A test asks the database how it finds them. */
export const LIST = `
SELECT id, holder, ${SUMMARY_COLUMNS.join(", ")}, CASE WHEN questions IS NULL THEN NULL ELSE (
    SELECT array_agg(agent || '-' || number) FROM raymond.answers a WHERE a.run = r.id
  ) END AS answered
FROM raymond.runs r
WHERE state IS NOT NULL AND (started_at, id) < (coalesce($1, '~'), coalesce($2, '~'))
ORDER BY started_at DESC, id DESC LIMIT $3`;

function homeOf(root: string, id: RunId): RunHome {
  const stateFile = path.join(root, "workflows", `${id}.json`);
  return { id, root, stateFile, folder: path.join(root, "runs", id) };
}

function refuseBadId(id: string): void {
  const problem = runIdProblem(id);
  if (problem !== null) throw new BadRunIdError(id, problem);
}

/** What a map has for a key; made where it has nothing. */
function kept<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
