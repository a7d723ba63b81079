import path from "node:path";
import { isSimulated } from "../../engine/ports/backend.ts";
import type { Store } from "../../engine/ports/store.ts";
import { DEFAULT_POOL } from "../../language/basics/default-pool.ts";
import { type NewRunOptions, newRun } from "../../machine/new-run.ts";
import type { RunId, RunState } from "../../machine/run-state.ts";
import { prepareRun, type WantedRun } from "../../run/prepare.ts";
import { chooseId } from "../../run/start.ts";
import type { Caller } from "../../wire/caller.ts";
import { NOTHING_NEEDED } from "../../wire/client.ts";
import { type Place, stateRoot } from "../../wire/stores.ts";
import { newToken, systemPlatform } from "../../wire/system/system.ts";
import { havePrompt } from "../../wire/workflow.ts";
import { fleetErrors } from "../errors.ts";
import { listMachines } from "../lease/machines.ts";
import type { Database } from "../store/database.ts";
import { type FleetWorkflow, placeRun, storeWorkflow } from "../store/rows/placed-runs.ts";
import type { Placement, Workspace } from "../store/rows/placement.ts";
import { packForFleet } from "../worker/packed-workflow.ts";
import { enqueueRun } from "./admission/enqueue-run.ts";
import type { EpochMs, Queues } from "./queues.ts";

/** A run that the fleet is to have. */
export interface SubmitOptions extends WantedRun, Place {
  readonly placement: Omit<Placement, "inside" | "entry" | "lostSession" | "at">;
  /** When it is to begin; as soon as somebody is free without it. */
  readonly at?: EpochMs | undefined;
  /** Hears sentences about what is odd and stops nothing. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** What submitting needs of a fleet. */
export interface SubmitTarget {
  readonly database: Database;
  readonly store: Store;
  readonly queues: () => Promise<Queues>;
}

/** What runs of one submit begin with, whatever they are called, and whenever. */
export interface PreparedSubmission {
  readonly beginning: Omit<NewRunOptions, "id" | "at" | "token">;
  readonly placement: Placement;
  readonly workflow: FleetWorkflow;
}

/**
 * Keeps a new run, with its workflow as it is now, and puts it into its queue. Rejects with a RaymondError
 * for whatever can be found wrong before somebody takes it; then nothing is kept of it.
 */
export async function submit(
  options: SubmitOptions,
  to: SubmitTarget,
  caller: Caller,
): Promise<RunId> {
  const submitted = await prepareSubmit(options, to, caller);
  const id = await chooseId(options, to.store, caller);
  const { beginning, placement, workflow } = submitted;
  await storeWorkflow(to.database, workflow);
  const run = newRun({ ...beginning, id, at: caller.now(), token: newToken() });
  await storeRun(run, placement, workflow.hash, to);
  return id;
}

/** Looks at all that can be found wrong, and packs the workflow as it is now. */
export async function prepareSubmit(
  options: SubmitOptions,
  { database }: Pick<SubmitTarget, "database">,
  caller: Caller,
): Promise<PreparedSubmission> {
  const { placement, warn = () => undefined } = options;
  await requireWorker(placement, database);
  const root = await stateRoot(options, caller);
  // Whether prompts can be answered, only the machine knows that takes it.
  const prepared = await prepareRun(options, root, caller, () => Promise.resolve(NOTHING_NEEDED));
  const { located, settings, attributes, input, backend } = prepared;
  for (const message of prepared.warnings) warn(message);
  const needsNoClient =
    isSimulated(backend) || settings.client !== null || !havePrompt(located.names);
  const packed = await packForFleet(located, systemPlatform());
  const inside = path.relative(located.home, located.path);
  return {
    beginning: {
      ...{ settings, backend, input, attributes },
      workflow: { kind: located.kind, path: located.path, entry: located.entry },
      // Where they are, whoever takes it says.
      scopeDir: located.home,
      launchDir: folderOf(placement.workspace) ?? caller.cwd,
    },
    placement: {
      ...{ ...placement, inside, lostSession: "fail", entry: 1, at: options.at ?? null },
      ...(needsNoClient && { withoutClient: true }),
    },
    workflow: packed,
  };
}

/** Keeps a run that nothing has happened to yet, and puts it into its queue. */
export async function storeRun(
  run: RunState,
  placement: Placement,
  hash: string,
  { database, store, queues }: SubmitTarget,
): Promise<void> {
  const lock = await store.lock(run.id);
  try {
    await store.save(run, 0);
    await placeRun(database, run.id, placement, hash);
  } finally {
    await lock.release();
  }
  const queued = { id: run.id, placement, home: null, snapshot: null };
  await enqueueRun(queued, { database, queues: await queues() });
}

/** The folder that a run works in, where that is known now. */
function folderOf(workspace: Workspace): string | null {
  return workspace.kind === "git" ? null : workspace.folder;
}

/**
 * Rejects names that no worker has ever used, because a run with a typo would wait forever. The
 * default pool may get its first worker later.
 */
async function requireWorker(
  { pool, account, pinned }: SubmitOptions["placement"],
  database: Database,
): Promise<void> {
  if (pool === DEFAULT_POOL && account === null && pinned === null) return;
  const machines = await listMachines(database);
  const require = (
    what: "pool" | "account" | "machine",
    wanted: string,
    known: readonly string[],
  ) => {
    if (!known.includes(wanted))
      throw fleetErrors["fleet/nobody-there"](what, wanted, [...new Set(known)]);
  };
  if (pinned !== null) require("machine", pinned, machines.map(({ id }) => id));
  else if (pool !== DEFAULT_POOL) require("pool", pool, machines.flatMap(({ pools }) => pools));
  if (account === null) return;
  require("account", account, machines.flatMap(({ accounts }) => accounts));
  const having = machines.filter(({ accounts }) => accounts.includes(account));
  if (having.some(({ id, pools }) => (pinned === null ? pools.includes(pool) : id === pinned)))
    return;
  const where = pinned === null ? `in pool ${pool}` : `on machine ${pinned}`;
  throw fleetErrors["fleet/account-elsewhere"](
    account,
    where,
    having.map(({ id }) => id),
  );
}

/** Where a run may be of which nobody has said more. */
export const DEFAULT_PLACEMENT: SubmitOptions["placement"] = {
  pool: DEFAULT_POOL,
  ...{ account: null, pinned: null },
  workspace: { kind: "local", folder: null },
  sessions: { kind: "home" },
  // A reboot wins.
  failoverAfterMs: 120_000,
};
