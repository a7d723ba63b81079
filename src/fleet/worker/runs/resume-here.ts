import { mkdir } from "node:fs/promises";
import path from "node:path";
import { clientHome } from "../../../clients/claude/transcripts/transcript-place.ts";
import { counted } from "../../../language/basics/counted.ts";
import type { RunId, RunState } from "../../../machine/run-state.ts";
import { failRun } from "../../../machine/stop.ts";
import type { Driving } from "../../../run/driving.ts";
import { logEvents } from "../../../run/record-input.ts";
import { resumeClaimed } from "../../../run/resume-claimed.ts";
import { clientEnvironment } from "../../../wire/engine/inherited.ts";
import { isFolder } from "../../../wire/system/system.ts";
import { promptingOf } from "../../accounts/credentials.ts";
import { openConversations } from "../../conversations/open-conversations.ts";
import { fleetErrors } from "../../errors.ts";
import type { ClaimedRun } from "../../lease/claimed-run.ts";
import { type PlacementRow, setAside } from "../../store/rows/placed-runs.ts";
import { countClaim, type Workspace } from "../../store/rows/placement.ts";
import { localWorkflow } from "../local-workflow.ts";
import { handOverTree } from "../step-user.ts";
import type { WorkerContext } from "../worker-context.ts";

/**
 * Goes on with a run on this machine until it ends or stops: the same engine, and the same use case, as
 * without a fleet. The caller holds its lock. One that was taken again and again without a step in between
 * is set aside.
 */
export async function resumeHere(
  run: RunState,
  row: PlacementRow,
  taken: Pick<ClaimedRun, "settle">,
  driving: Driving,
  host: WorkerContext,
): Promise<RunState> {
  const { machine, caller } = host;
  // One that only waits does nothing that could have ended a worker.
  const { poison, ...claims } =
    run.status === "waiting"
      ? { ...row.claims, poison: false }
      : countClaim(row.claims, run.steps, row.server);
  if (poison) {
    const times = counted(claims.stalled, "time");
    return setRunAside(run, `It was claimed ${times} without completing a step.`, host);
  }
  const { run: placed, place, store: keeping } = await atHome(run, row, host);
  const prompting = promptingOf(run, row.placement.account, host);
  const here = { ...caller, cwd: placed.launchDir };
  const client = { ...here, env: clientEnvironment(here, prompting) };
  const {
    run: restored,
    store,
    first,
  } = await openConversations(placed, row, { ...host, store: keeping }, client);
  if (host.stepUser !== null && row.placement.sessions.kind !== "home") {
    // What was restored there is of root, and the client goes on writing to it.
    handOverTree(host.stepUser, path.join(clientHome(client.env, host.stepUser.home), "projects"));
  }
  const { lostSession } = row.placement;
  const how = {
    ...{ store, program: "raymond", given: {}, lostSession, prompting, first },
    // A machine that cannot run it must not become its home.
    checkedAll: () => taken.settle(machine, claims),
    ...(place !== null && { place }),
  };
  return resumeClaimed(restored, how, driving, here);
}

/** A run with its files where they are on this machine; `place`: of its workflow. */
interface AtHome {
  readonly run: RunState;
  readonly place: string | null;
  /** What it is saved by: where its files travel, not before these are kept. */
  readonly store: WorkerContext["store"];
}

async function atHome(run: RunState, row: PlacementRow, host: WorkerContext): Promise<AtHome> {
  const { run: settled, store } = await withFiles(run, row, host);
  const here = await localWorkflow(run, row, path.join(host.folder, "workflows"), host);
  if (here === null) return { run: settled, place: null, store };
  return { run: { ...settled, scopeDir: here.scopeDir }, place: here.path, store };
}

async function withFiles(
  run: RunState,
  row: PlacementRow,
  host: WorkerContext,
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
  if (epoch === null) throw new Error(`the run ${run.id} is resumed without a claim`);
  return host.clones.open(run, workspace, row, { store, epoch });
}

async function folderOf(
  id: RunId,
  workspace: Exclude<Workspace, { readonly kind: "git" }>,
  { folder, machine }: WorkerContext,
): Promise<string> {
  if (workspace.folder !== null) {
    if (isFolder(workspace.folder)) return workspace.folder;
    throw fleetErrors["fleet/workspace-gone"](workspace.folder, machine, workspace.kind);
  }
  const own = path.join(folder, "workspaces", id);
  await mkdir(own, { recursive: true });
  return own;
}

/** Records why nobody is to go on with a run until somebody resumes it. */
export async function setRunAside(
  run: RunState,
  message: string,
  {
    database,
    holder,
    store,
    caller,
  }: Pick<WorkerContext, "database" | "holder" | "store" | "caller">,
): Promise<RunState> {
  const [stopped, events] = failRun(run, message);
  const seq = run.seq + events.length;
  const updatedAt = new Date(caller.now()).toISOString();
  const failed = { ...stopped, seq, saves: run.saves + 1, updatedAt };
  // In this order: whoever takes it after a crash in between finds why, and records the rest.
  await setAside(database, { id: run.id, holder }, message);
  await store.save(failed, run.saves);
  await logEvents(store, run, events, caller);
  return failed;
}
