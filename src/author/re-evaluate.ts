import type { Engine } from "../engine/engine.ts";
import { promptExecutor } from "../engine/executors/prompt.ts";
import { judgeStep } from "../engine/judge-step.ts";
import type { Artifacts } from "../engine/ports/artifacts.ts";
import type { Backend } from "../engine/ports/backend.ts";
import type { Scope } from "../engine/ports/scope.ts";
import { NO_LISTENER } from "../engine/ports/step-events.ts";
import { type PrepareContext, prepareStep } from "../engine/prepare/prepare-step.ts";
import { noDebug } from "../log/debug-files.ts";
import { debugName } from "../log/debug-name.ts";
import { ALL_CAPABILITIES } from "../machine/backends/backend-facts.ts";
import type { Decision } from "../machine/decide/decision.ts";
import type { Step } from "../machine/decide/step.ts";
import { failure } from "../machine/model/failure.ts";
import type { StepOutcome } from "../machine/model/outcome.ts";
import { findAgent } from "../machine/model/roster.ts";
import type { RunState } from "../machine/model/run-state.ts";
import { NO_SPEND } from "../machine/model/spend.ts";
import { anyFolder, systemPlatform } from "../wire/system/system.ts";
import { libraryOf } from "../wire/workflow.ts";

export interface ReEvaluation {
  /** Null: nothing would be sent. */
  readonly prompt: string | null;
  readonly decision: Decision;
  /** Name of its debug files, without extension. */
  readonly debugName: string | null;
}

/** Re-evaluates a recorded outcome with the current workflow. */
export type ReEvaluateOptions = (
  /** The run with the step in flight. */
  started: RunState,
  agent: string,
  outcome: StepOutcome,
  lostSession: Engine["lostSession"],
) => Promise<ReEvaluation>;

/** `scope`: the current workflow of the run. */
export function reEvaluate(run: RunState, scope: Scope, artifacts: Artifacts): ReEvaluateOptions {
  const engine: PrepareContext = {
    workflows: libraryOf(run, scope, artifacts),
    // Folders may have been deleted since the run.
    folders: anyFolder,
    platform: systemPlatform(),
    backends: { default: silentBackend(run.backend), of: silentBackend },
    clock: { now: () => 0, elapsed: () => 0, sleep: () => Promise.resolve() },
  };
  return async (started, id, outcome, lostSession) => {
    const agent = findAgent(started, id);
    const prepared = await prepareStep(started, agent, engine, () => undefined);
    if (prepared.kind !== "step") {
      return { prompt: null, decision: prepared, debugName: null };
    }
    const { step } = prepared;
    const decision = await judgeStep(step, outcome, { ...engine, lostSession });
    const name = debugName(step.agent.id, step.file.name, step.process);
    return { prompt: await promptOf(step), decision, debugName: name };
  };
}

/** The prompt as the executor would send it. It is not sent. */
async function promptOf(step: Step): Promise<string | null> {
  if (step.file.kind !== "prompt") return null;
  let sent: string | null = null;
  const never = new AbortController().signal;
  await promptExecutor({ of: silentBackend }, () => 0).execute(
    step,
    { budget: never, interrupt: never, kill: never },
    NO_LISTENER,
    {
      ...noDebug,
      prompt: (text) => {
        sent = text;
      },
    },
  );
  return sent;
}

function silentBackend(name: string): Backend {
  return {
    name,
    can: ALL_CAPABILITIES,
    recover: () => Promise.resolve(null),
    invoke: () =>
      Promise.resolve({
        kind: "failure",
        ...failure("cancelled", "Nothing is sent."),
        session: null,
        spend: NO_SPEND,
        exitCode: null,
      }),
  };
}
