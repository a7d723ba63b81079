import path from "node:path";
import type { Store } from "../../engine/ports/store.ts";
import { DEFAULT_AGENT } from "../../language/basics/default-agent.ts";
import { DEFAULT_POOL } from "../../language/basics/default-pool.ts";
import type { RunId, RunState } from "../../machine/model/run-state.ts";
import { type NewRunOptions, newRun } from "../../machine/moves/new-run.ts";
import { prepareRun, type WantedRun } from "../../run/prepare.ts";
import { chooseId } from "../../run/start.ts";
import type { Caller } from "../../wire/caller.ts";
import { NOTHING_NEEDED, type Upcoming } from "../../wire/client.ts";
import { type Place, stateRoot } from "../../wire/stores.ts";
import { newToken, systemPlatform } from "../../wire/system/system.ts";
import { fleetErrors } from "../errors.ts";
import { listMachines } from "../lease/machines.ts";
import { needsOf, refusalOf } from "../policy/policy.ts";
import { recordAudit } from "../store/audit.ts";
import type { Database } from "../store/database.ts";
import { type FleetWorkflow, placeRun, storeWorkflow } from "../store/rows/placed-runs.ts";
import type { Placement, Workspace } from "../store/rows/placement.ts";
import { packForFleet } from "../worker/packed-workflow.ts";
import { type EpochMs, enqueueRun, type Queues } from "./queues.ts";

export interface SubmitOptions extends WantedRun, Place {
  readonly placement: Omit<Placement, "inside" | "entry" | "lostSession" | "at">;
  /** Scheduled start; without it as soon as possible. */
  readonly at?: EpochMs | undefined;
  readonly warn?: ((message: string) => void) | undefined;
}

export interface SubmitTarget {
  readonly database: Database;
  readonly store: Store;
  readonly queues: () => Promise<Queues>;
}

/** The part of a submission that all runs of a schedule share. */
export interface PreparedSubmission {
  readonly start: Omit<NewRunOptions, "id" | "at" | "token">;
  readonly placement: Placement;
  readonly workflow: FleetWorkflow;
}

/** Stores a new run with its current workflow, and enqueues it. Rejects with a RaymondError, and then stores nothing. */
export async function submit(
  options: SubmitOptions,
  to: SubmitTarget,
  caller: Caller,
): Promise<RunId> {
  const { start, placement, workflow } = await prepareSubmit(options, to, caller);
  const id = await chooseId(options, to.store, caller);
  await storeWorkflow(to.database, workflow);
  const run = newRun({ ...start, id, at: caller.now(), token: newToken() });
  await storeRun(run, placement, workflow.hash, to);
  await recordAudit(to.database, { action: "submit", run: id, actor: caller.actor() });
  return id;
}

/** Checks a submission, and packs the current workflow. */
export async function prepareSubmit(
  options: SubmitOptions,
  { database }: Pick<SubmitTarget, "database">,
  caller: Caller,
): Promise<PreparedSubmission> {
  const { placement, warn = () => undefined } = options;
  await requireWorker(placement, database);
  const root = await stateRoot(options, caller);
  // Only the worker can check whether its client answers prompts.
  let agents: readonly string[] = [];
  const check = (_backend: string, upcoming: Upcoming) => {
    agents = upcoming.agents.flatMap(({ name, spare }) => (spare ? [] : name));
    return Promise.resolve(NOTHING_NEEDED);
  };
  const prepared = await prepareRun(options, root, caller, check);
  const { located, settings, attributes, input, backend } = prepared;
  for (const message of prepared.warnings) warn(message);
  const needsNoClient = agents.every((name) => Object.hasOwn(settings.clients, name));
  const others = agents.some((name) => name !== DEFAULT_AGENT);
  const needs = { ...needsOf(settings, backend), ...(others && { agents }) };
  await requireAllowed({ ...placement, needs }, database);
  const packed = await packForFleet(located, systemPlatform());
  const inside = path.relative(located.home, located.path);
  return {
    start: {
      ...{ settings, backend, input, attributes },
      workflow: { kind: located.kind, path: located.path, entry: located.entry },
      // The worker replaces both by folders on its machine.
      scopeDir: located.home,
      launchDir: folderOf(placement.workspace) ?? caller.cwd,
    },
    placement: {
      ...{ ...placement, inside, needs, lostSession: "fail", entry: 1, at: options.at ?? null },
      by: { actor: caller.actor(), changed: [] },
      ...(needsNoClient && { withoutClient: true }),
    },
    workflow: packed,
  };
}

/** Stores and enqueues a new run. */
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
      throw fleetErrors["fleet/unknown-name"](what, wanted, [...new Set(known)]);
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

/** Rejects a run that the policies of all live machines refuse: it would wait forever. */
async function requireAllowed(
  placement: SubmitOptions["placement"],
  database: Database,
): Promise<void> {
  const { pool, account, pinned } = placement;
  const machines = (await listMachines(database)).filter(
    ({ id, lives, pools, accounts }) =>
      lives &&
      (pinned === null ? pools.includes(pool) : id === pinned) &&
      (account === null || accounts.includes(account)),
  );
  const refusals = machines.map(({ id, policy }) => [id, refusalOf(policy, placement)] as const);
  if (refusals.length === 0 || refusals.some(([, why]) => why === null)) return;
  throw fleetErrors["fleet/refused-by-policy"](
    refusals.map(([id, why]) => `the policy of ${id} refuses it, because ${why ?? ""}`),
  );
}

export const DEFAULT_PLACEMENT: SubmitOptions["placement"] = {
  pool: DEFAULT_POOL,
  ...{ account: null, pinned: null },
  workspace: { kind: "local", folder: null },
  sessions: { kind: "home" },
  // Long enough for a reboot.
  failoverAfterMs: 120_000,
};
