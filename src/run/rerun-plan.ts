import path from "node:path";
import { workflowPlace } from "../author/test-from-run.ts";
import { openTestedWorkflow, type TestedWorkflow } from "../author/tested-workflow.ts";
import type { Workflows } from "../engine/ports/workflows.ts";
import { inspectErrors } from "../inspect/errors.ts";
import { lookAhead } from "../inspect/history/look-ahead.ts";
import { type RecordedRun, startsLater, withRecording } from "../inspect/history/recorded-run.ts";
import { type RunView, readRun } from "../inspect/run-view.ts";
import { copyHash, fullName } from "../language/protocol/address.ts";
import type { StateName } from "../language/protocol/transition.ts";
import { workflowErrors } from "../language/workflow/errors.ts";
import { stemOf } from "../language/workflow/files/state-name.ts";
import type { Agent } from "../machine/model/agent.ts";
import { stepState } from "../machine/model/gate.ts";
import type { RunState } from "../machine/model/run-state.ts";
import {
  enteredStates,
  pointBefore,
  pointBeforeLastEntry,
  type RerunPoint,
} from "../machine/record/rerun-point.ts";
import type { Caller } from "../wire/caller.ts";
import { wireErrors } from "../wire/errors.ts";
import { relocateRun } from "../wire/run-place.ts";
import type { Wanted } from "../wire/stores.ts";
import { isFolder } from "../wire/system/system.ts";
import { libraryOf } from "../wire/workflow.ts";
import { rerunErrors, runErrors } from "./errors.ts";

/** A run, and the point from which a new run would start. */
export interface RerunPlan extends RecordedRun {
  readonly point: RerunPoint;
  readonly workflow: TestedWorkflow;
  readonly library: Workflows;
  /** The file of the first state; null if it cannot be edited. */
  readonly file: string | null;
  /** Lint findings as a sentence; null: none. */
  readonly ahead: string | null;
}

/**
 * Determines where a new run would start, and whether it could. Locks and writes nothing, so the
 * other run may be in progress. Rejects with a RaymondError.
 */
export async function planRerun(
  { from, ...wanted }: Wanted & { readonly from: string },
  caller: Caller,
): Promise<RerunPlan> {
  const view = await readRun(wanted, caller);
  const { id, holder, artifacts } = view;
  const here = relocation(view);
  const run = here(view.run);
  // Its folders and conversations are on the other machine.
  if (holder?.visible === false) throw wireErrors["run/out-of-reach"](id, holder, "elsewhere");
  const recorded = await withRecording(view);
  if (!isFolder(run.launchDir)) throw runErrors["run/launch-dir-gone"](id, run.launchDir);
  const workflow = await openTestedWorkflow(workflowPlace(run));
  const { found, scope } = workflow;
  const point = relocatePoint(pointAt(recorded, from, found.names), here);
  // They belong to the other run.
  if (point.run.closing !== undefined || point.run.agents.some(({ worktree }) => worktree))
    throw rerunErrors["run/rerun-worktrees"](run.id, point.step);
  const library = libraryOf(run, scope, artifacts);
  requireCopies(run, point, artifacts.workflows);
  await requireStates(run, point, library);
  const { agent } = point;
  const state = stepState(agent);
  const { workflow: within } = agent;
  const editable = within === null ? found.write !== null : copyHash(within) === null;
  const source = { ...scope, workflow: found.path };
  return {
    ...recorded,
    ...{ run, point, workflow, library },
    file: editable ? library.scope(within).source(state) : null,
    ahead: within === null ? (await lookAhead(source, state, workflowPlace(run))).warning : null,
  };
}

function relocatePoint(point: RerunPoint, here: (state: RunState) => RunState): RerunPoint {
  const run = here(point.run);
  const agent = run.agents.find(({ id }) => id === point.agent.id) ?? point.agent;
  return { ...point, run, agent };
}

/** The journal, and a copy of a run, have the paths of former places. */
function relocation({ id, run, root, store }: RunView): (state: RunState) => RunState {
  const to = store.place?.(id).kind === "copy" ? root : run.stateFolder;
  return (state) => {
    const { stateFolder: from } = state;
    if (from === undefined || to === undefined || from === to) return state;
    return relocateRun(state, from, to);
  };
}

function pointAt(
  { run, recording }: RecordedRun,
  from: string,
  names: readonly StateName[],
): RerunPoint {
  if (!/^\d+$/.test(from)) return pointAtState(recording, run, from, names);
  const step = Number(from);
  const point = pointBefore(recording, step);
  if (point !== null) return point;
  const { base } = recording;
  const isBefore = step >= 1 && step <= base.processes;
  if (!isBefore) throw inspectErrors["run/unknown-step"](run, step, null);
  const origin = base.saves === 0 ? base.origin : null;
  throw rerunErrors["run/step-not-recorded"](run.id, step, base.processes + 1, origin);
}

/** `name`: a state that the run has entered, with or without its extension. */
function pointAtState(
  recording: RecordedRun["recording"],
  run: RunState,
  name: string,
  names: readonly StateName[],
): RerunPoint {
  const entered = enteredStates(recording);
  const meant = entered.includes(name) ? [name] : entered.filter((state) => stemOf(state) === name);
  const [only, other] = meant;
  if (other !== undefined) throw workflowErrors["workflow/ambiguous-state"](name, meant);
  const point = only === undefined ? null : pointBeforeLastEntry(recording, only);
  if (point !== null) return point;
  const exists = names.some((state) => state === name || stemOf(state) === name);
  const later = recording.options === null ? startsLater(recording) : null;
  throw rerunErrors["run/never-entered"](run.id, name, exists, entered, later);
}

/** A zip or single file that an agent is in or returns to exists only as the copy that the run has made. */
function requireCopies({ id }: RunState, { run: { agents } }: RerunPoint, copies: string): void {
  for (const hash of copiedWorkflows(agents)) {
    const copy = path.join(copies, hash, "scope");
    if (!isFolder(copy)) throw wireErrors["run/scope-gone"](id, copy);
  }
}

/** Hashes of the copied workflows that these agents are in or return to. */
export function copiedWorkflows(agents: readonly Agent[]): ReadonlySet<string> {
  const workflows = agents.flatMap(({ workflow, stack }) => [
    workflow,
    ...stack.map((frame) => frame.workflow),
  ]);
  return new Set(workflows.flatMap((each) => (each === null ? [] : (copyHash(each) ?? []))));
}

/** Every state that an agent is in or returns to must still exist. */
async function requireStates(
  { id }: RunState,
  { step, run: { agents } }: RerunPoint,
  library: Pick<Workflows, "scope">,
): Promise<void> {
  for (const agent of agents) {
    const { workflow, state, gate, stack } = agent;
    const gates = gate?.checks.map((check) => ({ workflow, state: check.state })) ?? [];
    const returns = stack.map((frame) => ({ workflow: frame.workflow, state: frame.returnTo }));
    for (const place of [{ workflow, state }, ...gates, ...returns]) {
      const names = await library.scope(place.workflow).names();
      if (names.includes(place.state)) continue;
      throw rerunErrors["run/state-lost"](id, step, agent.id, fullName(place), names);
    }
  }
}
