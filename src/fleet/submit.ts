import path from "node:path";
import { type Beginning, newRun } from "../core/machine/new-run.ts";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import { USUAL_POOL } from "../core/usual-pool.ts";
import { isSimulated } from "../ports/backend.ts";
import type { Store } from "../ports/store.ts";
import type { Caller } from "../runs/caller.ts";
import { prepareRun, type WantedRun } from "../runs/prepare.ts";
import { chooseId } from "../runs/start.ts";
import { NOTHING_NEEDED } from "../runs/wire/checked.ts";
import { type Place, stateRoot } from "../runs/wire/stores.ts";
import { newToken, systemPlatform } from "../runs/wire/system.ts";
import { havePrompt } from "../runs/wire/workflow.ts";
import type { Database } from "../stores/postgres/database.ts";
import { seenMachines } from "../stores/postgres/machines.ts";
import { type FleetWorkflow, keepWorkflow, placeRun } from "../stores/postgres/placed-runs.ts";
import type { Placement, Workspace } from "../stores/postgres/placement.ts";
import type { GoTime, Queues } from "../stores/postgres/queues.ts";
import { AccountElsewhereError, NobodyToRunError } from "./errors.ts";
import { packForFleet } from "./packed-workflow.ts";
import { queueRun } from "./queue-run.ts";

/** A run that the fleet is to have. */
export interface SubmitOptions extends WantedRun, Place {
  readonly placement: Omit<Placement, "inside" | "go" | "lostSession" | "at">;
  /** When it is to begin; as soon as somebody is free without it. */
  readonly at?: GoTime | undefined;
  /** Hears sentences about what is odd and stops nothing. */
  readonly warn?: ((message: string) => void) | undefined;
}

/** What submitting needs of a fleet. */
export interface SubmitTo {
  readonly database: Database;
  readonly store: Store;
  readonly queues: () => Promise<Queues>;
}

/** What runs of one submit begin with, whatever they are called, and whenever. */
export interface Submitted {
  readonly beginning: Omit<Beginning, "id" | "at" | "token">;
  readonly placement: Placement;
  readonly workflow: FleetWorkflow;
}

/**
 * Keeps a new run, with its workflow as it is now, and puts it into its queue. Rejects with a RaymondError
 * for whatever can be found wrong before somebody takes it; then nothing is kept of it.
 */
export async function submit(options: SubmitOptions, to: SubmitTo, caller: Caller): Promise<RunId> {
  const submitted = await prepareSubmit(options, to, caller);
  const id = await chooseId(options, to.store, caller);
  const { beginning, placement, workflow } = submitted;
  await keepWorkflow(to.database, workflow);
  const run = newRun({ ...beginning, id, at: caller.now(), token: newToken() });
  await keepRun(run, placement, workflow.hash, to);
  return id;
}

/** Looks at all that can be found wrong, and packs the workflow as it is now. */
export async function prepareSubmit(
  options: SubmitOptions,
  { database }: Pick<SubmitTo, "database">,
  caller: Caller,
): Promise<Submitted> {
  const { placement, warn = () => undefined } = options;
  await requireSomebody(placement, database);
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
      ...{ ...placement, inside, lostSession: "fail", go: 1, at: options.at ?? null },
      ...(needsNoClient && { withoutClient: true }),
    },
    workflow: packed,
  };
}

/** Keeps a run that nothing has happened to yet, and puts it into its queue. */
export async function keepRun(
  run: RunState,
  placement: Placement,
  hash: string,
  { database, store, queues }: SubmitTo,
): Promise<void> {
  const lock = await store.lock(run.id);
  try {
    await store.save(run, 0);
    await placeRun(database, run.id, placement, hash);
  } finally {
    await lock.release();
  }
  const queued = { id: run.id, placement, home: null, snapshot: null };
  await queueRun(queued, { database, queues: await queues() });
}

/** The folder that a run works in, where that is known now. */
function folderOf(workspace: Workspace): string | null {
  return workspace.kind === "git" ? null : workspace.folder;
}

/** A slip of the keyboard would wait for ever. The usual pool may get its first worker later. */
async function requireSomebody(
  { pool, account, pinned }: SubmitOptions["placement"],
  database: Database,
): Promise<void> {
  if (pool === USUAL_POOL && account === null && pinned === null) return;
  const machines = await seenMachines(database);
  const require = (
    what: "pool" | "account" | "machine",
    wanted: string,
    known: readonly string[],
  ) => {
    if (!known.includes(wanted)) throw new NobodyToRunError(what, wanted, [...new Set(known)]);
  };
  if (pinned !== null) require("machine", pinned, machines.map(({ id }) => id));
  else if (pool !== USUAL_POOL) require("pool", pool, machines.flatMap(({ pools }) => pools));
  if (account === null) return;
  require("account", account, machines.flatMap(({ accounts }) => accounts));
  const having = machines.filter(({ accounts }) => accounts.includes(account));
  if (having.some(({ id, pools }) => (pinned === null ? pools.includes(pool) : id === pinned)))
    return;
  const where = pinned === null ? `any worker of the pool ${pool}` : `the machine ${pinned}`;
  throw new AccountElsewhereError(
    account,
    where,
    having.map(({ id }) => id),
  );
}

/** Where a run may be of which nobody has said more. */
export const USUAL_PLACEMENT: SubmitOptions["placement"] = {
  pool: USUAL_POOL,
  ...{ account: null, pinned: null },
  workspace: { kind: "local", folder: null },
  sessions: { kind: "home" },
  // A reboot wins.
  failoverAfterMs: 120_000,
};
