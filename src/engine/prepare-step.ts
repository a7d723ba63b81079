import { RaymondError } from "../core/errors.ts";
import { runningOf } from "../core/machine/activity.ts";
import type { Agent } from "../core/machine/agent.ts";
import { backendProblem } from "../core/machine/backend-problem.ts";
import { contextProblem, expectedTokens } from "../core/machine/context.ts";
import type { Event } from "../core/machine/event.ts";
import { type Failure, failure } from "../core/machine/failure.ts";
import { gatedPayload, printGated, stepName, stepState } from "../core/machine/gate.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { type Halt, stateLimits } from "../core/machine/state-limits.ts";
import type { Deadline, Step } from "../core/machine/step.ts";
import { placeText } from "../core/place.ts";
import type { StateName } from "../core/protocol/transition.ts";
import type { Platform } from "../core/workflow/platform.ts";
import { callsProblem, ruledPaths } from "../core/workflow/policy.ts";
import { resolveState } from "../core/workflow/resolve.ts";
import { describeProblem, type PromptFile, type StateFile } from "../core/workflow/state-file.ts";
import { stateProblem } from "../core/workflow/state-problem.ts";
import { stepToken } from "../ports/leftovers.ts";
import type { Workflows } from "../ports/workflows.ts";
import type { Engine } from "./engine.ts";
import { findWorkflows } from "./find-workflows.ts";
import { withheldAttributes } from "./withheld.ts";

/** A step that can be executed, or why it cannot. */
export type Prepared =
  | { readonly kind: "step"; readonly step: Step }
  /** The state refuses it: it has used up its visits or its budget. */
  | { readonly kind: "halt"; readonly halt: Halt }
  /** Its conversation is too large for the state: it goes to another. */
  | { readonly kind: "hand-over"; readonly target: StateName; readonly problem: string }
  | { readonly kind: "failure"; readonly failure: Failure };

/** What a step is prepared from. */
export type Preparing = Pick<
  Engine,
  "workflows" | "folders" | "platform" | "backend" | "clock" | "epoch"
>;

/**
 * Reads the state file of a step that is in flight, and gathers all that its
 * execution needs. What is wrong with the workflow is a value; only bugs reject.
 */
export async function prepareStep(
  run: RunState,
  agent: Agent,
  engine: Preparing,
  tell: (event: Event) => void,
): Promise<Prepared> {
  const { workflows, folders, platform, backend } = engine;
  try {
    const { gate, workflow } = agent;
    const isFirst = (run.sums.states[stepName(agent)]?.attempts ?? 0) === 0;
    const scope = workflows.scope(workflow);
    const state = stepState(agent);
    const source = scope.source(state);
    const names = await scope.names();
    const file = await scope.load(state);
    // Said at the first start only: a loop over a state need not repeat it.
    if (isFirst) warn(file, source, tell);
    const rules = file.kind === "prompt" ? file.rules : null;
    const found = await findWorkflows(ruledPaths(rules), workflow, workflows);
    const attributes = await withDefaults(agent, workflows);
    const withheld =
      file.kind === "script"
        ? await withheldAttributes(agent, scope, () => workflows.vars(workflow))
        : [];
    if (isFirst) warnOfWithheld(withheld, state, tell);
    const refusal = await refuseChanged(run, agent, source, workflows, tell);
    if (refusal !== null) return refusal;
    const problem =
      stateProblem(file, names, platform, found) ??
      callsProblem(rules, found, attributes) ??
      (file.kind === "prompt"
        ? backendProblem(file, names, platform, run.settings, backend, found)
        : null);
    if (problem !== null) return fails(describeProblem(source, problem), problem.hint);
    const cwd = agent.cwd ?? run.launchDir;
    if ((await folders.find(run.launchDir, cwd)) === null) {
      const gone = `The folder that agent ${agent.id} works in is gone: ${cwd}`;
      return fails(gone, "Create it again, then resume the run.");
    }
    const process = runningOf(agent)?.process ?? 0;
    // A gate is no visit, and costs nothing: the state that it belongs to was let in.
    const limits =
      gate === null
        ? stateLimits(run, file, source, process, workflow)
        : ({ ok: true, capMicroUsd: null } as const);
    const over = file.kind === "prompt" ? handOver(run, agent, file, names, platform) : null;
    if (over !== null) return over;
    if (!limits.ok) return { kind: "halt", halt: limits.halt };
    const step: Step = {
      run: run.id,
      agent: {
        ...agent,
        attributes,
        ...(gate !== null && { state, pendingResult: gatedPayload(gate) }),
      },
      file,
      path: scope.path(state),
      source,
      scopeDir: scope.dir,
      names,
      platform,
      withheld,
      settings: run.settings,
      backend: { name: backend.name, can: backend.can },
      cwd,
      process,
      attempt: gate?.starts ?? agent.starts,
      token: stepToken(run.token, engine.epoch ?? null, process),
      session: agent.session,
      capMicroUsd: limits.capMicroUsd,
      contextTokens: expectedTokens(run, agent.session),
      deadline: deadlineOf(file, agent, engine),
      gated: gate && printGated(gate),
      deniedPaths:
        file.kind === "prompt" && run.settings.protectWorkflow
          ? await workflows.protectedPaths(cwd)
          : [],
    };
    return { kind: "step", step };
  } catch (error) {
    if (error instanceof RaymondError) return fails(error.message, error.hint);
    throw error;
  }
}

/** Reports a state file that changed during the run, or refuses it (docs/security.md, "Changed files"). */
async function refuseChanged(
  { settings: { changedFiles } }: RunState,
  agent: Agent,
  source: string,
  workflows: Workflows,
  tell: (event: Event) => void,
): Promise<Prepared | null> {
  if (changedFiles === "allow") return null;
  const { workflow } = agent;
  const state = stepState(agent);
  const change = await workflows.changeOf(workflow, state);
  if (change === null) return null;
  const problem = `${source} was ${change} during the run`;
  if (changedFiles === "refuse") {
    return fails(
      `${problem}, and changed_files = "refuse".`,
      "Check the file, then resume the run: it is used as it is then.",
    );
  }
  workflows.acceptChange(workflow, state);
  const hint = 'Check that the change is intended. To stop instead, set changed_files = "refuse".';
  tell({ type: "run.warning", message: `${problem}, and is used as it is now.`, hint });
  return null;
}

/** What the workflow that an agent is in says for variables, and over it what the agent was given. */
async function withDefaults(agent: Agent, workflows: Workflows): Promise<Agent["attributes"]> {
  if (agent.workflow === null) return agent.attributes;
  const defaults = (await workflows.vars(agent.workflow)).flatMap(({ name, default: value }) =>
    value === null ? [] : [[name, value] as const],
  );
  return { ...Object.fromEntries(defaults), ...agent.attributes };
}

/** Where the author leads a conversation that has grown beyond what the state takes. */
function handOver(
  run: RunState,
  agent: Agent,
  file: PromptFile,
  names: readonly StateName[],
  platform: Platform,
): Prepared | null {
  const problem = contextProblem(run, agent, file);
  if (problem === null || file.context === null) return null;
  const found = resolveState(names, file.context.target, platform);
  return found.ok ? { kind: "hand-over", target: found.name, problem } : null;
}

function fails(message: string, hint: string | null | undefined): Prepared {
  return { kind: "failure", failure: failure("deterministic", message, hint) };
}

function warn(file: StateFile, path: string, tell: (event: Event) => void): void {
  for (const { line, message: words } of file.warnings) {
    const message = `${placeText(path, { line })}: ${words}`;
    tell({ type: "run.warning", message, hint: null });
  }
}

function warnOfWithheld(
  names: readonly string[],
  state: StateName,
  tell: (event: Event) => void,
): void {
  if (names.length === 0) return;
  const message = `${state} does not get ${names.join(", ")} as environment variables: their names are in capitals, and the workflow does not declare them.`;
  const hint =
    "Name the attributes in the rule for fork in allowed_transitions, declare them in vars of workflow.yaml, use lower-case names, or read them from RAYMOND_ATTRIBUTES.";
  tell({ type: "run.warning", message, hint });
}

/** A prompt step's own time, over all its attempts; a script's is its executor's. */
function deadlineOf(file: StateFile, agent: Agent, { clock }: Preparing): Deadline | null {
  const limitMs = file.timeoutMs;
  if (file.kind === "script" || limitMs === null || limitMs === 0) return null;
  return { at: clock.elapsed() + limitMs - agent.elapsedMs, limitMs };
}
