import { randomUUID } from "node:crypto";
import { RaymondError } from "../../language/basics/errors.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import type { Payloads } from "../../storage/codec/payload.ts";
import { printRun } from "../../storage/codec/print-run.ts";
import { storageErrors } from "../../storage/errors.ts";
import { fleetErrors } from "../errors.ts";
import { holderOfRun } from "../lease/holders.ts";
import type { Database, Queries } from "./database.ts";
import type { TableJournal } from "./journal.ts";
import type { Snapshot } from "./rows/placement.ts";
import { rowChanger } from "./rows/row-change.ts";
import { summaryRow } from "./rows/run-row.ts";
import { SAVE, type SaveRequest } from "./rows/save-rows.ts";

/*
 * How a run is saved:
 *
 * P1  A save is one statement, and so one transaction: the state, its long texts, its journal records, and
 *     its costs.
 * P2  It changes the row only if that has the expected version and the epoch of the saving process.
 *     Otherwise another process has saved or claimed the run, and the save changes nothing.
 * P3  Each save stores a token in the row. After a lost connection the save is retried. If the row has its
 *     token, the save has succeeded.
 * P4  A save that failed may still have been committed. So the next save accepts its token as well as the
 *     expected version.
 * P5  Concurrent saves of several runs are one statement. Each run succeeds or fails independently. A run that
 *     this statement did not save is retried alone, and then its row explains the failure.
 */

export interface SaverOptions {
  /** Null if this process does not hold the run: then only the version is checked. */
  readonly epoch: () => number | null;
  /** The snapshot of its files to store with the save; null: no change. */
  readonly snapshot: () => Snapshot | null;
}

export type WriteSave = (save: SaveRequest) => Promise<void>;

/** One writer for all runs of a process (P5). */
export function saveWriter(database: Database): WriteSave {
  const save = rowChanger(database, SAVE);
  return async (request) => {
    if ((await save(request)) === null) await database.run((on) => requireSaved(on, request));
  };
}

export class Saver {
  readonly #options: SaverOptions;
  readonly #journal: TableJournal;
  readonly #write: WriteSave;
  #last: Promise<void> = Promise.resolve();
  #payloads: Payloads = new Map();
  /** Names of the stored long texts; null if unknown. */
  #stored: ReadonlySet<string> | null = null;
  /** Tokens of failed saves that may have been committed (P4). */
  #unsure: readonly string[] = [];

  constructor(options: SaverOptions, journal: TableJournal, write: WriteSave) {
    this.#options = options;
    this.#journal = journal;
    this.#write = write;
  }

  /** Concurrent saves are executed one at a time. */
  save(run: RunState, expected: number): Promise<void> {
    const saved = this.#last.then(() => this.#save(run, expected));
    this.#last = saved.catch(() => undefined);
    return saved;
  }

  async #save(run: RunState, expected: number): Promise<void> {
    const token = randomUUID();
    const { text: state, payloads } = printRun(run, this.#payloads);
    const files = new Map([...payloads].map(([text, { file }]) => [file, text]));
    const removes = this.#stored === null || [...this.#stored].some((file) => !files.has(file));
    const records = this.#journal.pending(run.saves);
    const snapshot = this.#options.snapshot();
    const epoch = this.#options.epoch();
    try {
      await this.#write({
        id: run.id,
        row: {
          ...{ version: run.saves, token, state, expected, epoch },
          unsure: this.#unsure,
          placed: snapshot === null ? {} : { snapshot },
          needed: removes ? [...files.keys()] : null,
          kept_from: records.findLast(({ keptFrom }) => keptFrom !== null)?.keptFrom ?? null,
          ...summaryRow(run, payloads),
        },
        added: [...files].filter(([file]) => this.#stored?.has(file) !== true),
        records,
        entries: records.flatMap(({ entries }) => entries),
      });
    } catch (error) {
      this.#stored = null;
      const isRefused = error instanceof RaymondError && error.code === "store/run-taken";
      if (!isRefused) this.#unsure = [...this.#unsure, token];
      throw error;
    }
    this.#journal.stored(run.saves);
    this.#unsure = [];
    this.#payloads = payloads;
    this.#stored = new Set(files.keys());
  }
}

/** Rejects with the reason if the row does not contain this save (P3). */
async function requireSaved(
  on: Queries,
  { id, row: { token, expected, epoch } }: SaveRequest,
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
    throw fleetErrors["store/run-taken"](id, holder);
  }
  const { version: revision, updated_at: at } = row;
  throw storageErrors["store/run-taken"](id, { revision, expected, at, holder });
}
