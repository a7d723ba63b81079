import { rm } from "node:fs/promises";
import type { ClaimOptions, RunSummary, Store } from "../../engine/ports/store.ts";
import type { RunId } from "../../machine/model/run-state.ts";
import { nodeDisk } from "../../storage/disk.ts";
import { RunLockedError } from "../../storage/errors.ts";
import { refuseLinks } from "../../storage/refuse-links.ts";
import { artifactsOf, homeIn, refuseBadId } from "../../storage/run-home.ts";
import { type Claimer, claimRun } from "../lease/claim-rows.ts";
import { type ClaimedRun, runClaimer } from "../lease/claimed-run.ts";
import { holderOfRun, liveHolders } from "../lease/holders.ts";
import { type Presence, registerPresence } from "../lease/presence.ts";
import type { Database, Queries } from "./database.ts";
import { type TableJournal, tableJournal } from "./journal.ts";
import type { Snapshot } from "./rows/placement.ts";
import { type ListedRow, listRows, summaryOf } from "./rows/run-row.ts";
import { readState, type StateRow, stateOf } from "./rows/state-row.ts";
import { Saver, saveWriter } from "./saver.ts";

export interface PostgresStoreOptions {
  /** The id of this process in `raymond.holders`; without it the store registers one. */
  readonly holder?: number | undefined;
  /** The snapshot of the files of a run to store with its next save. */
  readonly snapshot?: (id: RunId) => Snapshot | null;
}

/** Runs in a PostgreSQL database (docs/fleet.md, "Database"). */
export type PostgresStore = Pick<DatabaseStore, keyof DatabaseStore>;

/** `root`: the folder of the artifacts on this machine. */
export function postgresStore(
  database: Database,
  root: string,
  options: PostgresStoreOptions = {},
): PostgresStore {
  return new DatabaseStore(database, root, options);
}

/** The methods are properties, so that other stores can extend a copy. */
class DatabaseStore implements Store {
  readonly #database: Database;
  readonly #root: string;
  readonly #options: PostgresStoreOptions;
  readonly #journals = new Map<RunId, TableJournal>();
  readonly #savers = new Map<RunId, Saver>();
  readonly #write: ReturnType<typeof saveWriter>;
  readonly #claimQueued: ReturnType<typeof runClaimer>;
  readonly #epochs = new Map<RunId, number>();
  readonly #claiming = new Set<RunId>();
  #presence: Promise<Presence> | null = null;

  constructor(database: Database, root: string, options: PostgresStoreOptions) {
    this.#database = database;
    this.#root = root;
    this.#options = options;
    this.#write = saveWriter(database);
    this.#claimQueued = runClaimer(database, (id, epoch) => {
      this.#forgetEpoch(id, epoch);
    });
  }

  readonly save: Store["save"] = async (run, expected) => {
    refuseBadId(run.id);
    const { snapshot = () => null } = this.#options;
    const saver = getOrCreate(this.#savers, run.id, () => {
      const claim = { epoch: () => this.epoch(run.id), snapshot: () => snapshot(run.id) };
      return new Saver(claim, this.journal(run.id), this.#write);
    });
    await saver.save(run, expected);
  };

  readonly load: Store["load"] = async (id) => {
    refuseBadId(id);
    const [row] = await this.#database.query<StateRow>(LOAD, [id]);
    return row === undefined ? undefined : readState(id, row, this.#database);
  };

  readonly findIdIgnoringCase: Store["findIdIgnoringCase"] = async (id) => {
    const [row] = await this.#database.query<{ id: RunId }>(
      "SELECT id FROM raymond.runs WHERE lower(id) = lower($1) AND state IS NOT NULL LIMIT 1",
      [id],
    );
    return row?.id ?? null;
  };

  readonly list: Store["list"] = () => this.#database.run(listRuns);

  readonly lock: Store["lock"] = async (id, claiming) => {
    refuseBadId(id);
    const { epoch, takenFrom } = await this.#claim(id, claiming);
    this.#epochs.set(id, epoch);
    let released: Promise<void> | null = null;
    const release = () => (released ??= this.#release(id, epoch));
    return { previousHolder: takenFrom, release };
  };

  /**
   * Claims a run that was dispatched to a worker, also from a holder that is presumed dead; `entry`: number of
   * its queue entry. Null if that is void.
   */
  readonly claimQueued = async (id: RunId, entry: number): Promise<ClaimedRun | null> => {
    const claimed = await this.#claimAs(id, (by) => this.#claimQueued({ id, entry, ...by }));
    if (claimed !== null) this.#epochs.set(id, claimed.epoch);
    return claimed;
  };

  readonly holder: Store["holder"] = async (id) => {
    refuseBadId(id);
    return this.#database.run((on) => holderOfRun(on, id));
  };

  readonly remove: Store["remove"] = async (id, claiming) => {
    refuseBadId(id);
    const home = homeIn(this.#root, id);
    await refuseLinks(nodeDisk(), home);
    const { epoch } = await this.#claim(id, claiming);
    await this.#database.query("DELETE FROM raymond.runs WHERE id = $1 AND epoch = $2", [
      id,
      epoch,
    ]);
    this.#savers.delete(id);
    this.#journals.delete(id);
    await rm(artifactsOf(home).debug, { recursive: true, force: true });
    await rm(home.folder, { recursive: true, force: true });
  };

  readonly artifacts: Store["artifacts"] = async (id) => {
    refuseBadId(id);
    return Promise.resolve(artifactsOf(homeIn(this.#root, id)));
  };

  /** The records are stored with the next save. */
  readonly journal = (id: RunId): TableJournal => getOrCreate(this.#journals, id, tableJournal);

  /** The fencing token of this process's claim; null without a claim. */
  readonly epoch = (id: RunId): number | null => this.#epochs.get(id) ?? null;

  /** Releases all locks. */
  readonly close = async (): Promise<void> => {
    const presence = this.#presence;
    this.#presence = null;
    await (await presence?.catch(() => null))?.end();
  };

  async #claim(id: RunId, { takeOver = false }: ClaimOptions = {}) {
    const claim = await this.#claimAs(id, (by) =>
      this.#database.run((on) => claimRun(on, id, { ...by, takeOver })),
    );
    if ("refusedBy" in claim) throw new RunLockedError(id, claim.refusedBy);
    return claim;
  }

  /** A claim whose answer was lost is repeated: then this process may hold the run already. */
  async #claimAs<T>(
    id: RunId,
    claim: (by: Pick<Claimer, "holder" | "again">) => Promise<T>,
  ): Promise<T> {
    const again = !this.#epochs.has(id) && !this.#claiming.has(id);
    if (again) this.#claiming.add(id);
    try {
      return await claim({ holder: await this.#ownHolder(), again });
    } finally {
      if (again) this.#claiming.delete(id);
    }
  }

  async #ownHolder(): Promise<number> {
    const { holder } = this.#options;
    if (holder !== undefined) return holder;
    this.#presence ??= registerPresence(this.#database).catch((error: unknown) => {
      this.#presence = null;
      throw error;
    });
    return (await this.#presence).holder;
  }

  async #release(id: RunId, epoch: number): Promise<void> {
    this.#forgetEpoch(id, epoch);
    // If the database is away, the lock ends with this process.
    await this.#database
      .query("UPDATE raymond.runs SET holder = NULL WHERE id = $1 AND epoch = $2", [id, epoch])
      .catch(() => undefined);
  }

  #forgetEpoch(id: RunId, epoch: number): void {
    if (this.#epochs.get(id) === epoch) this.#epochs.delete(id);
  }
}

const STATE = stateOf("r");
const LOAD = `
SELECT ${STATE.columns} FROM raymond.runs r ${STATE.texts} WHERE id = $1 AND state IS NOT NULL`;

/** Runs per query, to limit the memory of the server. */
const PAGE = 1_000;

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

/** @public A test checks the query plan. */
export const LIST = listRows();

function getOrCreate<Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const created = create();
  map.set(key, created);
  return created;
}
