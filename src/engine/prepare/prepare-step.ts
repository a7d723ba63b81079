import path from "node:path";
import { RaymondError } from "../../language/basics/errors.ts";
import { placeText } from "../../language/basics/place.ts";
import type { StateName } from "../../language/protocol/transition.ts";
import { fieldProblem } from "../../language/workflow/field-problem.ts";
import type { Platform } from "../../language/workflow/files/platform.ts";
import {
  describeProblem,
  type PromptFile,
  type StateFile,
} from "../../language/workflow/files/state-file.ts";
import { calledWorkflowProblem, workflowPathsOf } from "../../language/workflow/policy/policy.ts";
import { resolveState } from "../../language/workflow/resolve.ts";
import { stateProblem } from "../../language/workflow/state-problem.ts";
import { settingsOf, withOwnModels } from "../../machine/backends/own-models.ts";
import { ownerProblem } from "../../machine/backends/owner-problem.ts";
import { backendProblem } from "../../machine/decide/backend-problem.ts";
import { ownSchemas } from "../../machine/decide/check-payload.ts";
import type { Decision } from "../../machine/decide/decision.ts";
import type { Deadline, Step } from "../../machine/decide/step.ts";
import { stepEnvironment } from "../../machine/decide/step-environment.ts";
import { payloadValues } from "../../machine/decide/step-values.ts";
import { runningOf } from "../../machine/model/activity.ts";
import type { Agent } from "../../machine/model/agent.ts";
import type { Event } from "../../machine/model/event.ts";
import { failure } from "../../machine/model/failure.ts";
import {
  gatedPayload,
  printGatedTransitions,
  stepName,
  stepState,
} from "../../machine/model/gate.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import { grantsOf } from "../../machine/moves/permission.ts";
import { contextProblem, expectedTokens } from "../../machine/spend/context.ts";
import { type StateLimits, stateLimits } from "../../machine/spend/state-limits.ts";
import type { Engine } from "../engine.ts";
import { stepToken } from "../ports/orphans.ts";
import type { Workflows } from "../ports/workflows.ts";
import { refuseChanged } from "./changed-files.ts";
import { findSchemas } from "./find-schemas.ts";
import { findWorkflows } from "./find-workflows.ts";
import { stepPermissions } from "./step-permissions.ts";
import { settingsIn, treeOf } from "./step-tree.ts";
import { withheldAttributes } from "./withheld.ts";

/** A step that is ready to execute, or the decision about a step that cannot be executed. */
export type Prepared = { readonly kind: "step"; readonly step: Step } | Refusal;

export type Refusal = Extract<Decision, { kind: "halt" | "hand-over" | "fail" }>;

export type PrepareContext = Pick<
  Engine,
  "workflows" | "folders" | "platform" | "backends" | "clock" | "epoch" | "worktrees"
>;

/**
 * Reads the state file of a step in flight and gathers everything for its execution. Problems of
 * the workflow are values; only bugs reject.
 */
export async function prepareStep(
  run: RunState,
  agent: Agent,
  engine: PrepareContext,
  report: (event: Event) => void,
): Promise<Prepared> {
  try {
    return await prepare(run, agent, engine, report);
  } catch (error) {
    if (error instanceof RaymondError) return fails(error.message, error.hint);
    throw error;
  }
}

async function prepare(
  run: RunState,
  agent: Agent,
  engine: PrepareContext,
  report: (event: Event) => void,
): Promise<Prepared> {
  const { folders, platform, backends, workflows } = engine;
  const { gate, workflow } = agent;
  const name = runningOf(agent)?.backend ?? run.backend;
  const backend = name === backends.default.name ? backends.default : backends.of(name);
  const loaded = await loadState(run, agent, workflows, report);
  const { state, scope, source, names, file, rules, found, attributes, withheld, isFirst } = loaded;
  const refusal = await fileRefusal(run, agent, { file, source }, workflows, report);
  if (refusal !== null) return refusal;
  const tree = treeOf(run, agent);
  const permissions =
    file.kind === "prompt"
      ? await stepPermissions(
          run,
          tree,
          workflow,
          { file, source },
          engine,
          isFirst ? report : null,
        )
      : null;
  const problem =
    stateProblem(file, names, platform, found) ??
    calledWorkflowProblem(rules, found, attributes) ??
    (file.kind === "prompt" && permissions !== null
      ? (ownerProblem(run, agent, file.name, file.agents) ??
        backendProblem(file, names, platform, permissions, backend, found) ??
        fieldProblem(file, { ...attributes, ...payloadValues(agent.pendingResult) }))
      : null);
  if (problem !== null) return fails(describeProblem(source, problem), problem.hint);
  const cwd = agent.cwd ?? run.launchDir;
  if (agent.worktree !== undefined) await engine.worktrees?.ensure(run.id, agent.worktree, cwd);
  if ((await folders.find(run.launchDir, cwd)) === null) {
    const gone = `The working directory of agent ${agent.id} does not exist any more: ${cwd}`;
    return fails(gone, "Create it again, then resume the run.");
  }
  const process = runningOf(agent)?.process ?? 0;
  const over = file.kind === "prompt" ? handOver(run, agent, file, names, platform) : null;
  if (over !== null) return over;
  // A gate is not a visit and has no cost: its state has already been admitted.
  const limits = gate === null ? stateLimits(run, file, source, process, workflow) : NO_LIMITS;
  if (!limits.ok) return { kind: "halt", ...limits.halt };
  const gated = gate && { state, pendingResult: gatedPayload(gate) };
  const { sandbox, container } = run.settings;
  const isLimited =
    file.kind === "prompt" ||
    [sandbox, container, file.sandbox, file.container].some((limit) => limit !== null);
  const isProtected = isLimited && run.settings.protectWorkflow;
  const step: Step = {
    ...{ run: run.id, agent: { ...agent, attributes, ...gated } },
    ...{
      file: withOwnModels(file, run, name),
      path: scope.path(state),
      source,
      scopeDir: scope.dir,
      names,
      platform,
      withheld,
    },
    settings: settingsIn(tree, settingsOf(run, name)),
    environment: stepEnvironment(
      file.kind,
      run.settings,
      await workflows.environment(workflow),
      file.env,
    ),
    backend: { name: backend.name, can: backend.can },
    ...{ launchDir: tree.launchDir, worktree: tree.worktree },
    ...{ cwd, process, attempt: gate?.starts ?? agent.starts, session: agent.session },
    token: stepToken(run.token, engine.epoch ?? null, process),
    capMicroUsd: limits.capMicroUsd,
    contextTokens: expectedTokens(run, agent.session, name),
    deadline: deadlineOf(file, agent, engine),
    gated: gate && printGatedTransitions(gate),
    permissions,
    ...(isProtected && { deniedNames: workflows.protectedNames(cwd) }),
    deniedPaths: [
      ...(isProtected ? await workflows.protectedPaths(cwd) : []),
      ...gitLinkOf(tree.worktree, isLimited),
    ],
    grants: grantsOf(run, agent),
  };
  return { kind: "step", step };
}

/** A file that names the git directory of a worktree. Git runs programs that the configuration there names. */
function gitLinkOf(worktree: string | undefined, isLimited: boolean): readonly string[] {
  return worktree === undefined || !isLimited ? [] : [path.join(worktree, ".git")];
}

const NO_LIMITS: StateLimits = { ok: true, capMicroUsd: null };

/** Reads the state of a step and everything that it refers to. Reports warnings at its first start only. */
async function loadState(
  run: RunState,
  agent: Agent,
  workflows: Workflows,
  report: (event: Event) => void,
) {
  const { workflow } = agent;
  const isFirst = (run.sums.states[stepName(agent)]?.attempts ?? 0) === 0;
  const scope = workflows.scope(workflow);
  const state = stepState(agent);
  const source = scope.source(state);
  const names = await scope.names();
  const loaded = await scope.load(state);
  const file = { ...loaded, sandbox: loaded.sandbox ?? (await workflows.sandbox(workflow)) };
  if (isFirst) warn(file, source, report);
  const rules = file.kind === "prompt" ? file.rules : null;
  const found = await findWorkflows(workflowPathsOf(rules), workflow, workflows);
  const attributes = await withDefaults(agent, workflows);
  const vars = () => workflows.vars(workflow);
  const withheld = file.kind === "script" ? await withheldAttributes(agent, scope, vars) : [];
  if (isFirst) warnOfWithheld(withheld, state, report);
  return { state, scope, source, names, file, rules, found, attributes, withheld, isFirst };
}

/** Why the state file or a schema that it names cannot be used; null if all can. */
async function fileRefusal(
  { settings }: RunState,
  agent: Agent,
  { file, source }: { readonly file: StateFile; readonly source: string },
  workflows: Workflows,
  report: (event: Event) => void,
): Promise<Refusal | null> {
  const state = { workflow: agent.workflow, name: stepState(agent), source };
  const refusal = await refuseChanged(settings, state, workflows, report);
  if (refusal !== null) return fails(refusal.message, refusal.hint);
  // A gate has no result of its own.
  const uses = agent.gate === null ? ownSchemas({ agent, file }) : [];
  for (const found of (await findSchemas(uses, settings, workflows, report)).values()) {
    if (!found.ok) return fails(found.message, found.hint);
  }
  return null;
}

/** The defaults of the agent's current workflow, overridden by the agent's attributes. */
async function withDefaults(agent: Agent, workflows: Workflows): Promise<Agent["attributes"]> {
  if (agent.workflow === null) return agent.attributes;
  const defaults = (await workflows.vars(agent.workflow)).flatMap(({ name, default: value }) =>
    value === null ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(defaults), ...agent.attributes };
}

/** The state that the author chose for conversations beyond the context limit. */
function handOver(
  run: RunState,
  agent: Agent,
  file: PromptFile,
  names: readonly StateName[],
  platform: Platform,
): Refusal | null {
  const problem = contextProblem(run, agent, file);
  if (problem === null || file.context === null) return null;
  const found = resolveState(names, file.context.target, platform);
  return found.ok ? { kind: "hand-over", target: found.name, problem } : null;
}

function fails(message: string, hint: string | null | undefined): Refusal {
  return { kind: "fail", failure: failure("deterministic", message, hint) };
}

function warn(file: StateFile, path: string, report: (event: Event) => void): void {
  for (const { line, message: words } of file.warnings) {
    const message = `${placeText(path, { line })}: ${words}`;
    report({ type: "run.warning", message, hint: null });
  }
}

function warnOfWithheld(
  names: readonly string[],
  state: StateName,
  report: (event: Event) => void,
): void {
  if (names.length === 0) return;
  const message = `${state} does not receive ${names.join(", ")} in its environment: attributes with upper-case names must be declared.`;
  const hint =
    "Name the attributes in the rule for fork in allowed_transitions, declare them in vars of workflow.yaml, use lower-case names, or read them from RAYMOND_ATTRIBUTES.";
  report({ type: "run.warning", message, hint });
}

/** The timeout of a prompt step over all its attempts. The executor limits scripts. */
function deadlineOf(file: StateFile, agent: Agent, { clock }: PrepareContext): Deadline | null {
  const limitMs = file.timeoutMs;
  if (file.kind === "script" || limitMs === null || limitMs === 0) return null;
  return { at: clock.elapsed() + limitMs - agent.elapsedMs, limitMs };
}
