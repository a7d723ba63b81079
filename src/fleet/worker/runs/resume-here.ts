import { mkdir, realpath } from "node:fs/promises";
import path from "node:path";
import { counted } from "../../../language/basics/counted.ts";
import type { RunState } from "../../../machine/model/run-state.ts";
import { failRun } from "../../../machine/moves/stop.ts";
import type { Driving } from "../../../run/driving.ts";
import { logEvents } from "../../../run/record-input.ts";
import { type ClaimedRunOptions, resumeClaimed } from "../../../run/resume-claimed.ts";
import { AGENTS } from "../../../wire/agents/agents.ts";
import { clientEnvironment } from "../../../wire/engine/inherited.ts";
import { isFolder } from "../../../wire/system/system.ts";
import { promptingOf } from "../../accounts/credentials.ts";
import { openConversations } from "../../conversations/open-conversations.ts";
import { fleetErrors } from "../../errors.ts";
import type { ClaimedRun } from "../../lease/claimed-run.ts";
import { needsOf, policyProblem } from "../../policy/policy.ts";
import { type PlacementRow, setAside } from "../../store/rows/placed-runs.ts";
import { countClaim } from "../../store/rows/placement.ts";
import { localWorkflow } from "../packed-workflow.ts";
import { handOverTree } from "../step-user.ts";
import type { WorkerContext } from "../worker-context.ts";

/**
 * Executes a claimed run until it ends or stops, with the same engine as without a fleet. A run that was claimed
 * several times without completing a step is set aside.
 */
export async function resumeHere(
  run: RunState,
  row: PlacementRow,
  claimed: Pick<ClaimedRun, "settle">,
  driving: Driving,
  context: WorkerContext,
): Promise<RunState> {
  const { machine, caller, stepUser } = context;
  // A waiting run executes nothing that could crash a worker.
  const { poison, ...claims } =
    run.status === "waiting"
      ? { ...row.claims, poison: false }
      : countClaim(row.claims, run.steps, row.server);
  if (poison) {
    const times = counted(claims.stalled, "time");
    return setRunAside(run, `It was claimed ${times} without completing a step.`, context);
  }
  const refusal = await refusalHere(run, row, context);
  if (refusal !== null) return setRunAside(run, refusal, context);
  const files = await openWorkspace(run, row, context);
  const workflow = await localWorkflow(
    files.run,
    row,
    path.join(context.folder, "workflows"),
    context,
  );
  const placed = workflow === null ? files.run : { ...files.run, scopeDir: workflow.scopeDir };
  const { lostSession, account, sessions, by } = row.placement;
  // Later claims of the same queue entry are recoveries.
  const asked = row.claims.steps === null ? by : null;
  const actor = asked?.actor ?? { ...caller.actor(), via: "worker" as const };
  const prompting = promptingOf(run, account, context);
  const here = { ...caller, cwd: placed.launchDir };
  const client = { ...here, env: clientEnvironment(here, prompting) };
  const conversations = await openConversations(
    placed,
    row,
    { ...context, store: files.store },
    client,
  );
  if (stepUser !== null && sessions.kind !== "home") {
    // Restored files belong to root, and the client has to write to them.
    const place = { env: client.env, home: stepUser.home };
    for (const folder of AGENTS.flatMap((agent) => agent.written(place))) {
      handOverTree(stepUser, folder);
    }
  }
  const { run: restored, store, first } = conversations;
  const options: ClaimedRunOptions = {
    ...{ store, program: "raymond", given: {}, lostSession, prompting, first, actor },
    changed: asked?.changed ?? [],
    // No person can be asked here.
    trust: context.policy?.trustProject === true ? "given" : "optional",
    // A machine that cannot execute the run must not become its home.
    checkedAll: () => claimed.settle(machine, claims),
    ...(workflow !== null && { place: workflow.path }),
  };
  return resumeClaimed(restored, options, driving, here);
}

/**
 * Why the policy of this worker refuses a claimed run; null if it does not. The admission decides by the placement
 * that the submitter stored. This check uses the settings and the folder that the run would have.
 */
async function refusalHere(
  { settings, backend }: RunState,
  { placement: { workspace } }: PlacementRow,
  { policy, machine }: WorkerContext,
): Promise<string | null> {
  if (policy === null) return null;
  const resolved = {
    ...policy,
    folders: policy.folders === null ? null : await Promise.all(policy.folders.map(realPath)),
  };
  const real =
    workspace.kind === "git" || workspace.folder === null
      ? workspace
      : { ...workspace, folder: await realPath(workspace.folder) };
  const why = policyProblem(resolved, { workspace: real, ...needsOf(settings, backend) });
  return why === null ? null : `The policy of worker ${machine} refuses the run, because ${why}.`;
}

/** With links resolved. */
function realPath(folder: string): Promise<string> {
  return realpath(folder).catch(() => folder);
}

/** The run in its working folder on this machine, and the store that saves it. */
async function openWorkspace(
  run: RunState,
  row: PlacementRow,
  { clones, store, folder, machine }: WorkerContext,
): Promise<{ readonly run: RunState; readonly store: WorkerContext["store"] }> {
  const { workspace } = row.placement;
  if (workspace.kind === "git") {
    const epoch = store.epoch(run.id);
    if (epoch === null) throw new Error(`the run ${run.id} is resumed without a claim`);
    return clones.open(run, workspace, row, { store, epoch });
  }
  const launchDir = workspace.folder ?? path.join(folder, "workspaces", run.id);
  if (workspace.folder === null) await mkdir(launchDir, { recursive: true });
  else if (!isFolder(launchDir))
    throw fleetErrors["fleet/workspace-gone"](launchDir, machine, workspace.kind);
  return { run: { ...run, launchDir }, store };
}

/** Records why no worker may execute a run until a user resumes it. */
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
  // In this order: after a crash in between, the next worker finds the reason and records the rest.
  await setAside(database, { id: run.id, holder }, message);
  await store.save(failed, run.saves);
  await logEvents(store, run, events, caller);
  return failed;
}
