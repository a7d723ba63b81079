import { rm } from "node:fs/promises";
import path from "node:path";
import type { Journal } from "../../engine/ports/journal.ts";
import type { ClaimOptions, RunLock, RunSummary, Store } from "../../engine/ports/store.ts";
import { runIdProblem } from "../../machine/run-id.ts";
import type { RunId } from "../../machine/run-state.ts";
import { nodeDisk } from "../../storage/disk.ts";
import { RunLockedError, storageErrors } from "../../storage/errors.ts";
import { refuseLinks } from "../../storage/refuse-links.ts";
import { artifactsOf, type RunHome } from "../../storage/run-home.ts";
import { type ClaimedRun, runClaimer } from "../lease/claimed-run.ts";
import { holderOfRun, liveHolders } from "../lease/holders.ts";
import { type Presence, registerPresence } from "../lease/presence.ts";
import { claimRun } from "../queue/claim-run.ts";
import type { Database, Queries } from "./database.ts";
import { tableJournal } from "./journal.ts";
import type { Snapshot } from "./rows/placement.ts";
import { type ListedRow, SUMMARY_COLUMNS, summaryOf } from "./rows/run-row.ts";
import { readState, type StateRow, stateOf } from "./rows/state-row.ts";
import { type Saver, saver, saveWriter } from "./saver.ts";

/** Runs in a PostgreSQL database (docs/fleet.md, "Database"). */
export interface PostgresStore extends Store {
  /** The journal of a run: what is written down there goes into the database with its save. */
  journal(id: RunId): Journal;
  /**
   * Takes a run that a worker was handed, as {@link Store.lock} does where it takes over; `entry`: of its
   * placement. Null where that is not to be gone on with any more.
   */
  claimQueued(id: RunId, entry: number): Promise<ClaimedRun | null>;
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
  const claimingNow = new Set<RunId>();
  const write = saveWriter(database);
  let presence: Promise<Presence> | null = null;

  const ownHolder = async (): Promise<number> => {
    if (options.holder !== undefined) return options.holder;
    presence ??= registerPresence(database, { pid, identity }).catch((error: unknown) => {
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
  /** What this process has taken by a question whose answer was lost, it takes again. */
  const claiming = async <T>(
    id: RunId,
    ask: (by: { readonly holder: number; readonly again: boolean }) => Promise<T>,
  ): Promise<T> => {
    const again = !epochs.has(id) && !claimingNow.has(id);
    if (again) claimingNow.add(id);
    try {
      return await ask({ holder: await ownHolder(), again });
    } finally {
      if (again) claimingNow.delete(id);
    }
  };
  const claim = async (id: RunId, { takeOver = false }: ClaimOptions = {}) => {
    const taken = await claiming(id, (by) =>
      database.run((on) => claimRun(on, id, { ...by, takeOver })),
    );
    if ("refusedBy" in taken) throw new RunLockedError(id, taken.refusedBy);
    return taken;
  };
  const takeRun = runClaimer(database, (id, epoch) => {
    if (epochs.get(id) === epoch) epochs.delete(id);
  });

  return {
    save: async (run, expected) => {
      refuseBadId(run.id);
      await saverOf(run.id).save(run, expected);
    },

    load: async (id) => {
      refuseBadId(id);
      const [row] = await database.query<StateRow>(LOAD, [id]);
      return row === undefined ? undefined : readState(id, row, database);
    },

    findIdIgnoringCase: async (id) => {
      const [row] = await database.query<{ id: RunId }>(
        "SELECT id FROM raymond.runs WHERE lower(id) = lower($1) AND state IS NOT NULL LIMIT 1",
        [id],
      );
      return row?.id ?? null;
    },

    list: () => database.run(listRuns),

    lock: async (id, how) => {
      refuseBadId(id);
      const { epoch, takenFrom } = await claim(id, how);
      epochs.set(id, epoch);
      return { previousHolder: takenFrom, release: releasing(id, epoch) };
    },

    claimQueued: async (id, entry) => {
      const taken = await claiming(id, (by) => takeRun({ id, entry, ...by }));
      if (taken !== null) epochs.set(id, taken.epoch);
      return taken;
    },

    holder: async (id) => {
      refuseBadId(id);
      return database.run((on) => holderOfRun(on, id));
    },

    remove: async (id, how) => {
      refuseBadId(id);
      const home = homeOf(root, id);
      await refuseLinks(nodeDisk(), home);
      const { epoch } = await claim(id, how);
      await database.query("DELETE FROM raymond.runs WHERE id = $1 AND epoch = $2", [id, epoch]);
      savers.delete(id);
      journals.delete(id);
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

const STATE = stateOf("r");
const LOAD = `
SELECT ${STATE.columns} FROM raymond.runs r ${STATE.texts} WHERE id = $1 AND state IS NOT NULL`;

/** So many at once: the database need not hold all of them for us. */
const PAGE = 1_000;

/** All runs, the last started first, by the index of their starts. */
async function listRuns(on: Queries): Promise<readonly RunSummary[]> {
  const living = await liveHolders(on);
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
  if (problem !== null) throw storageErrors["store/bad-run-id"](id, problem);
}

/** What a map has for a key; made where it has nothing. */
function kept<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
