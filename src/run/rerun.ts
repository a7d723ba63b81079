import { cp } from "node:fs/promises";
import path from "node:path";
import { checkSettings } from "../config/check-settings.ts";
import { changedSettings, type Settings } from "../config/switches.ts";
import type { Artifacts } from "../engine/ports/artifacts.ts";
import { isSimulated } from "../engine/ports/backend.ts";
import type { Workflows } from "../engine/ports/workflows.ts";
import { settingsIn, treeOf } from "../engine/prepare/step-tree.ts";
import { rerunRun } from "../engine/rerun.ts";
import { found as foundStep, stepSnapshots } from "../inspect/files/run-diff.ts";
import { callerGit } from "../inspect/files/run-files.ts";
import type { StateName } from "../language/protocol/transition.ts";
import { resolveSetup } from "../language/workflow/resolve.ts";
import type { Agent, SessionId } from "../machine/model/agent.ts";
import { setupBefore } from "../machine/model/gate.ts";
import { ownerOf } from "../machine/model/owners.ts";
import { findAgent, replaceAgent } from "../machine/model/roster.ts";
import type { RunSettings, RunState, RunWorktree } from "../machine/model/run-state.ts";
import { type ConversationCut, conversationCut } from "../machine/record/conversation-cut.ts";
import { conversationsAt, rerunOf } from "../machine/record/rerun.ts";
import { agentsOfRun } from "../wire/agents/upcoming.ts";
import { carrying, checkBackend, requireAgents, requireBackend } from "../wire/backends.ts";
import type { Caller } from "../wire/caller.ts";
import { openSecrets } from "../wire/engine/open-secrets.ts";
import { BrokenOffError } from "../wire/errors.ts";
import { withFolders } from "../wire/settings.ts";
import type { Wanted } from "../wire/stores.ts";
import { newToken, systemIds, systemPlatform } from "../wire/system/system.ts";
import { requireTrustedFiles } from "../wire/trust/client-project.ts";
import { simulationOf } from "../wire/workflow.ts";
import { workspaceErrors } from "../workspaces/errors.ts";
import { moveRun } from "../workspaces/move-run.ts";
import { findRepository, inTree } from "../workspaces/repository.ts";
import { readSnapshot } from "../workspaces/snapshot-commit.ts";
import { drive } from "./drive.ts";
import type { Driving } from "./driving.ts";
import { rerunErrors } from "./errors.ts";
import { copiedWorkflows, planRerun, type RerunPlan } from "./rerun-plan.ts";
import { asNewRun, chooseId } from "./start.ts";
import { projectTrust, requireTrustedRun, type Trusting } from "./trust.ts";
import { type MadeWorktree, makeWorktree } from "./worktree/run-worktree.ts";
import { discardUnsaved, recordWorktree } from "./worktree/unsaved-worktree.ts";
import { reportWorktree } from "./worktree/worktree-end.ts";

export interface RerunOptions extends Driving, Wanted, Trusting {
  /** Number of a step, or name of a state for its last visit. */
  readonly from: string;
  /** Replace settings of the other run. */
  readonly settings?: Partial<Settings> | undefined;
  /** The name of the new run; default: a generated one. */
  readonly id?: string | undefined;
  /** Works in a new git worktree with the files before the step. */
  readonly files?: boolean | undefined;
  /** Called with the file of the first state, before it is read. */
  readonly edit?: ((file: string) => Promise<void>) | undefined;
}

/**
 * Starts a run from the state of another run before a step, with the current workflow, and drives it
 * to its end. Its conversations are truncated copies. The other run is not changed. Rejects with a
 * RaymondError if a file or conversation is gone, and then leaves nothing behind.
 */
export async function rerun(options: RerunOptions, caller: Caller): Promise<RunState> {
  checkSettings(options.settings ?? {});
  const plan = await planRerun(options, caller);
  requireBackend(plan.run);
  const given = changedSettings(options.settings ?? {}, plan.run.settings);
  requireAgents(given);
  const notices = await requireTrustedRun(plan, given, options, caller);
  // Before the user edits the state.
  await requireTrustedProject(plan, given, options, caller);
  for (const notice of notices) options.warn?.(notice);
  if (options.edit === undefined) return begin(plan, options, caller);
  const { file, point, workflow } = plan;
  if (file === null) throw rerunErrors["run/not-editable"](point.agent.state, workflow.found.path);
  await options.edit(file);
  return begin(await planRerun(options, caller), options, caller);
}

async function requireTrustedProject(
  { run, workflow }: RerunPlan,
  given: Partial<RunSettings>,
  options: RerunOptions,
  caller: Caller,
): Promise<void> {
  const project = projectTrust(run.worktree?.origin ?? run.launchDir, options);
  const settings = { ...run.settings, ...given };
  if (agentsOfRun(run, workflow.found.names).length === 0) return;
  await requireTrustedFiles(project, settings, caller);
}

async function begin(plan: RerunPlan, options: RerunOptions, caller: Caller): Promise<RunState> {
  const { run, point, workflow, store, program, ahead } = plan;
  const { found } = workflow;
  const { backend } = run;
  const given = withFolders(options.settings ?? {}, caller.cwd);
  const settings = { ...run.settings, ...changedSettings(given, run.settings) };
  const simulation = isSimulated(backend) ? await simulationOf(run.workflow) : null;
  const upcoming = {
    settings,
    agents: agentsOfRun({ ...run, agents: [point.agent] }, found.names),
    project: projectTrust(run.worktree?.origin ?? run.launchDir, options),
  };
  const checked = await checkBackend(backend, upcoming, caller);
  const id = await chooseId(options, store, caller);
  return asNewRun(id, store, async () => {
    const artifacts = await store.artifacts(id);
    await discardUnsaved(id, artifacts, caller);
    const scopeDir = await found.place(artifacts);
    const made = options.files === true ? await filesBefore(plan, id, artifacts, caller) : null;
    // The worktree of the other run is its own.
    // Without `files`, the new run works in the worktree of the other one, as in a checkout.
    const placed = made === null ? settingsIn(treeOf(plan.run, null), settings) : settings;
    const own = {
      ...{
        id,
        settings: placed,
        scopeDir,
        worktree: made?.worktree,
        token: newToken(),
        at: caller.now(),
      },
      conversations: await carryConversations(plan, settings, artifacts, caller),
    };
    const copied = rerunOf(point, own);
    const run =
      made === null
        ? copied
        : { ...withSetup(moveRun(copied, made.folders), plan, made.setup), origin: copied.origin };
    await copyEntered(run.agents, plan.artifacts, artifacts);
    const wiring = {
      launchDir: run.launchDir,
      ...{
        id,
        store,
        workflow: run.workflow,
        scopeDir,
        settings: placed,
        backend,
        simulation,
        program,
      },
      ...{ clients: checked.clients, origin: upcoming.project.folder },
      lostSession: "fail",
      startedBy: "here",
    } as const;
    const warnings = [...(ahead === null ? [] : [ahead]), ...checked.warnings];
    const driven = drive(
      wiring,
      (engine, control) => rerunRun(run, engine, control),
      { ...checked, warnings },
      options,
      caller,
    );
    const ended = await driven.catch(async (error: unknown) => {
      if (!(error instanceof BrokenOffError)) await made?.remove();
      throw error;
    });
    await reportWorktree(ended, artifacts, options, caller);
    return ended;
  });
}

/** Creates a worktree with the files that the step of the plan started with. */
async function filesBefore(
  { run, point, library, ...view }: RerunPlan,
  id: string,
  artifacts: Artifacts,
  caller: Caller,
) {
  const step = foundStep(stepSnapshots({ ...view, run }), point.step, { ...view, run });
  const origin = run.worktree?.origin ?? run.launchDir;
  const git = await callerGit(caller);
  const repository = await findRepository(origin, git);
  if (repository === null) throw workspaceErrors["workspace/no-repository"](origin);
  const from = await readSnapshot(step.base, (args) => git.run(args, inTree(repository)));
  if (from.head === null) throw workspaceErrors["workspace/no-commit"](origin);
  const start = { snapshot: step.base, head: from.head };
  const { copy } = await library.worktree(null);
  const setup = await setupOf(point.agent, library);
  const wanted = { run: id, name: null, origin, from: start, copy };
  const record = (worktree: RunWorktree) => recordWorktree(worktree, artifacts);
  const made = await makeWorktree(wanted, artifacts, caller, record);
  const oldTop = run.worktree?.folder ?? topOf(run.launchDir, made);
  return { ...made, setup, folders: { from: oldTop, to: made.worktree.folder } };
}

/** The script that prepares the worktree for an agent; null: none. Rejects with a RaymondError. */
async function setupOf({ workflow }: Agent, library: Workflows): Promise<StateName | null> {
  const { setup } = await library.worktree(workflow);
  if (setup === null) return null;
  return resolveSetup(await library.scope(workflow).names(), setup, systemPlatform());
}

/** The agent of the step prepares the worktree first. */
function withSetup(run: RunState, { point }: RerunPlan, setup: StateName | null): RunState {
  if (setup === null) return run;
  const agent = findAgent(run, point.agent.id);
  return replaceAgent(run, { ...agent, gate: setupBefore(setup, agent.gate) });
}

/** The top-level folder of the checkout, from the position of the launch folder in the worktree. */
function topOf(launchDir: string, { worktree, launchDir: moved }: MadeWorktree): string {
  return path.resolve(launchDir, path.relative(moved, worktree.folder) || ".");
}

/** Original conversation → its copy. */
async function carryConversations(
  { run, recording, point, artifacts, workflow }: RerunPlan,
  settings: RunSettings,
  to: Artifacts,
  caller: Caller,
): Promise<ReadonlyMap<SessionId, SessionId>> {
  const secrets = openSecrets(settings, caller);
  secrets.declare((await workflow.found.manifest()).env.secret);
  const carryOf = (owner: string) => carrying(owner, { from: artifacts, to, secrets }, caller);
  const copies = new Map<SessionId, SessionId>();
  for (const [session, agent] of conversationsAt(point)) {
    const as = systemIds.session();
    const cut = conversationCut(recording, point, session);
    // A simulation has no conversations.
    const length = isSimulated(run.backend) ? null : lengthOf(cut, run, agent, session);
    const cwd = agent.cwd ?? run.launchDir;
    const carry = await carryOf(ownerOf(point.run, session));
    if (!(await carry({ session, length, as, cwd }))) {
      throw rerunErrors["run/conversation-lost"](run.id, agent.id, session, null);
    }
    copies.set(session, as);
  }
  return copies;
}

function lengthOf(
  cut: ConversationCut,
  run: RunState,
  agent: Agent,
  session: SessionId,
): number | null {
  switch (cut.kind) {
    case "at":
      return cut.length;
    case "whole":
      return null;
    case "unknown":
      throw rerunErrors["run/conversation-lost"](run.id, agent.id, session, cut.step);
  }
}

/** An agent in a zip or single file continues in the copy that the run has made. */
async function copyEntered(
  agents: readonly Agent[],
  from: Artifacts,
  to: Artifacts,
): Promise<void> {
  for (const hash of copiedWorkflows(agents)) {
    await cp(path.join(from.workflows, hash), path.join(to.workflows, hash), { recursive: true });
  }
}
