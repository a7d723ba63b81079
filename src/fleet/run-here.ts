import { mkdir } from "node:fs/promises";
import path from "node:path";
import { clientHome } from "../backends/claude/transcript-place.ts";
import { counted } from "../core/counted.ts";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import { failRun } from "../core/machine/stop.ts";
import type { Driving } from "../runs/driving.ts";
import { goOn } from "../runs/go-on.ts";
import { keepEvents } from "../runs/keep-events.ts";
import { clientEnvironment } from "../runs/prompting.ts";
import { isFolder } from "../runs/wire/system.ts";
import { type PlacementRow, setHeldAside } from "../stores/postgres/placed-runs.ts";
import { countTake, type Workspace } from "../stores/postgres/placement.ts";
import type { TakenRun } from "../stores/postgres/taken-run.ts";
import { promptingOf } from "./credentials.ts";
import { WorkspaceGoneError } from "./errors.ts";
import type { Host } from "./host.ts";
import { handOverTree } from "./step-user.ts";
import { takeConversations } from "./take-conversations.ts";
import { workflowHere } from "./workflow-here.ts";

/**
 * Goes on with a run on this machine until it ends or stops: the same engine, and the same use case, as
 * without a fleet. The caller holds its lock. One that was taken again and again without a step in between
 * is set aside.
 */
export async function runHere(
  run: RunState,
  row: PlacementRow,
  taken: Pick<TakenRun, "settle">,
  driving: Driving,
  host: Host,
): Promise<RunState> {
  const { machine, caller } = host;
  // One that only waits does nothing that could have ended a worker.
  const { poison, ...takes } =
    run.status === "waiting"
      ? { ...row.takes, poison: false }
      : countTake(row.takes, run.steps, row.server);
  if (poison) {
    const times = counted(takes.vain, "time");
    return setRunAside(run, `It was taken over ${times} without a step in between.`, host);
  }
  const { run: placed, place, store: keeping } = await atHome(run, row, host);
  const prompting = promptingOf(run, row.placement.account, host);
  const here = { ...caller, cwd: placed.launchDir };
  const client = { ...here, env: clientEnvironment(here, prompting) };
  const {
    run: begun,
    store,
    first,
  } = await takeConversations(placed, row, { ...host, store: keeping }, client);
  if (host.stepUser !== null && row.placement.sessions.kind !== "home") {
    // What was restored there is of root, and the client goes on writing to it.
    handOverTree(host.stepUser, path.join(clientHome(client.env, host.stepUser.home), "projects"));
  }
  const { lostSession } = row.placement;
  const how = {
    ...{ store, program: "raymond", given: {}, lostSession, prompting, first },
    // A machine that cannot run it must not become its home.
    checkedAll: () => taken.settle(machine, takes),
    ...(place !== null && { place }),
  };
  return goOn(begun, how, driving, here);
}

/** A run with its files where they are on this machine; `place`: of its workflow. */
interface AtHome {
  readonly run: RunState;
  readonly place: string | null;
  /** What it is saved by: where its files travel, not before these are kept. */
  readonly store: Host["store"];
}

async function atHome(run: RunState, row: PlacementRow, host: Host): Promise<AtHome> {
  const { run: settled, store } = await withFiles(run, row, host);
  const here = await workflowHere(run, row, path.join(host.folder, "workflows"), host);
  if (here === null) return { run: settled, place: null, store };
  return { run: { ...settled, scopeDir: here.scopeDir }, place: here.path, store };
}

async function withFiles(
  run: RunState,
  row: PlacementRow,
  host: Host,
): Promise<Omit<AtHome, "place">> {
  const { workspace } = row.placement;
  if (workspace.kind !== "git") {
    return {
      run: { ...run, launchDir: await folderOf(run.id, workspace, host) },
      store: host.store,
    };
  }
  const { store } = host;
  const epoch = store.epoch(run.id);
  if (epoch === null) throw new Error(`the run ${run.id} is gone on with by nobody who holds it`);
  return host.clones.settle(run, workspace, row, { store, epoch });
}

async function folderOf(
  id: RunId,
  workspace: Exclude<Workspace, { readonly kind: "git" }>,
  { folder, machine }: Host,
): Promise<string> {
  if (workspace.folder !== null) {
    if (isFolder(workspace.folder)) return workspace.folder;
    throw new WorkspaceGoneError(workspace.folder, machine, workspace.kind);
  }
  const own = path.join(folder, "workspaces", id);
  await mkdir(own, { recursive: true });
  return own;
}

/** Records why nobody is to go on with a run until somebody resumes it. */
export async function setRunAside(
  run: RunState,
  message: string,
  { database, holder, store, caller }: Pick<Host, "database" | "holder" | "store" | "caller">,
): Promise<RunState> {
  const [stopped, events] = failRun(run, message);
  const seq = run.seq + events.length;
  const updatedAt = new Date(caller.now()).toISOString();
  const failed = { ...stopped, seq, saves: run.saves + 1, updatedAt };
  // In this order: whoever takes it after a crash in between finds why, and records the rest.
  await setHeldAside(database, { id: run.id, holder }, message);
  await store.save(failed, run.saves);
  await keepEvents(events, run, store, caller);
  return failed;
}
