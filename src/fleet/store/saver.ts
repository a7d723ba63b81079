import { randomUUID } from "node:crypto";
import { RaymondError } from "../../language/basics/errors.ts";
import type { RunId, RunState } from "../../machine/run-state.ts";
import type { Payloads } from "../../storage/codec/payload.ts";
import { printRun } from "../../storage/codec/print-run.ts";
import { storageErrors } from "../../storage/errors.ts";
import { fleetErrors } from "../errors.ts";
import { holderOfRun } from "../lease/holders.ts";
import type { Database, Queries } from "./database.ts";
import type { PendingRecords } from "./journal.ts";
import type { Snapshot } from "./rows/placement.ts";
import { rowChanger } from "./rows/row-change.ts";
import { summaryRow } from "./rows/run-row.ts";
import { SAVE, type SaveRequest } from "./rows/save-rows.ts";

/*
 * How a run comes into its row:
 *
 * P1  A save is a part of one statement, and so of one transaction: the state, the long texts
 *     that it names, what the journal tells of it, and what it has cost.
 * P2  It changes the row only where that has the version that it goes on from, and the
 *     epoch of whoever saves. Where it changes none, somebody else has saved the run or
 *     has taken it, and nothing of the save is there.
 * P3  Each save has a token, and leaves it in the row. Where the connection is lost
 *     around it the same is asked again: a row that has the token has the save.
 * P4  A save that has failed all the same may be done: the next one goes on from it
 *     as well, by its token.
 * P5  What is to be saved of other runs meanwhile is one statement with it. Each run of it
 *     is judged by itself; one that was not saved by it, for whatever reason, is asked for
 *     alone, and its row then tells (P3). So none fails, or waits, for another.
 */

/** Writes the state of one run, again and again. */
export interface Saver {
  save(run: RunState, expected: number): Promise<void>;
}

/** What a saver asks of the store. */
export interface SaverOptions {
  /** Of this process; null where it does not hold the run, and only the version counts. */
  readonly epoch: () => number | null;
  /** Of its files, what is written down with the save; null: what was written down before stays. */
  readonly snapshot: () => Snapshot | null;
}

/** Writes what was asked for; rejects where it could not. */
export type WriteSave = (asked: SaveRequest) => Promise<void>;

/** For all runs of a process: those that are saved at the same time go together (P5). */
export function saveWriter(database: Database): WriteSave {
  const save = rowChanger(database, SAVE);
  return async (asked) => {
    if ((await save(asked)) === null) await database.run((on) => requireSaved(on, asked.row));
  };
}

/** The saver of a run; saves that are asked for together are done one after the other. */
export function saver(
  id: RunId,
  claim: SaverOptions,
  pending: PendingRecords,
  write: WriteSave,
): Saver {
  let last: Promise<void> = Promise.resolve();
  let known: Payloads = new Map();
  /** Names of the stored long texts; null if unknown. */
  let stored: ReadonlySet<string> | null = null;
  /** Tokens of failed saves that may have been committed (P4). */
  let unsure: readonly string[] = [];

  async function save(run: RunState, expected: number): Promise<void> {
    const token = randomUUID();
    const { text: state, payloads } = printRun(run, known);
    const files = new Map([...payloads].map(([long, { file }]) => [file, long]));
    const removes = stored === null || [...stored].some((file) => !files.has(file));
    const { records, entries, keptFrom, settle } = pending.upTo(run.saves);
    const snapshot = claim.snapshot();
    try {
      await write({
        row: {
          ...{ id, version: run.saves, token, state, expected, epoch: claim.epoch(), unsure },
          placed: snapshot === null ? {} : { snapshot },
          needed: removes ? [...files.keys()] : null,
          kept_from: keptFrom,
          ...summaryRow(run, payloads),
        },
        added: [...files].filter(([file]) => stored?.has(file) !== true),
        ...{ records, entries },
      });
    } catch (error) {
      stored = null;
      const refused = error instanceof RaymondError && error.code === "store/run-taken";
      if (!refused) unsure = [...unsure, token];
      throw error;
    }
    settle();
    unsure = [];
    known = payloads;
    stored = new Set(files.keys());
  }

  return {
    save: (run, expected) => {
      const mine = last.then(() => save(run, expected));
      last = mine.catch(() => undefined);
      return mine;
    },
  };
}

/** Rejects unless the row has this very save (P3): why it could not be. */
async function requireSaved(
  on: Queries,
  { id, token, expected, epoch }: SaveRequest["row"],
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
