import path from "node:path";
import type { Decision } from "../../core/machine/decision.ts";
import { failure } from "../../core/machine/failure.ts";
import type { StepOutcome } from "../../core/machine/outcome.ts";
import { findAgent } from "../../core/machine/roster.ts";
import type { RunState } from "../../core/machine/run-state.ts";
import { NO_SPEND } from "../../core/machine/spend.ts";
import type { Step } from "../../core/machine/step.ts";
import type { Engine } from "../../engine/engine.ts";
import { judgeStep } from "../../engine/judge-step.ts";
import { type Preparing, prepareStep } from "../../engine/prepare-step.ts";
import { unprepared } from "../../engine/step-agent.ts";
import { promptExecutor } from "../../executors/prompt.ts";
import { noDebug } from "../../observers/debug-files.ts";
import { debugName } from "../../observers/debug-name.ts";
import type { Backend } from "../../ports/backend.ts";
import type { Scope } from "../../ports/scope.ts";
import { NO_LISTENER } from "../../ports/step-events.ts";
import { openedLibrary } from "./opened-library.ts";
import { systemPlatform } from "./system.ts";

/** What a step would send now, and what its outcome would mean. */
export interface JudgedAnew {
  /** Null: nothing would be sent. */
  readonly prompt: string | null;
  readonly decision: Decision;
  /** The name that its debug files have, without their endings. */
  readonly debugName: string | null;
}

/** Judges recorded outcomes by the workflow as it is now. */
export type JudgeAnew = (
  /** In which the step is in flight. */
  begun: RunState,
  agent: string,
  outcome: StepOutcome,
  lostSession: Engine["lostSession"],
) => Promise<JudgedAnew>;

/** Of a run: `scope` is that of the workflow now, `copies` where the run keeps those that it has entered. */
export function judgeAnew(run: RunState, scope: Scope, copies: string): JudgeAnew {
  const engine: Preparing = {
    workflows: openedLibrary(run, scope, copies),
    // It is asked what the workflow would do: folders that are gone since are no part of it.
    folders: { find: (base, name) => Promise.resolve(path.resolve(base, name)) },
    platform: systemPlatform(),
    backend: silentBackend(run.backend),
    clock: { now: () => 0, elapsed: () => 0, sleep: () => Promise.resolve() },
  };
  return async (begun, id, outcome, lostSession) => {
    const agent = findAgent(begun, id);
    const prepared = await prepareStep(begun, agent, engine, () => undefined);
    if (prepared.kind !== "step") {
      return { prompt: null, decision: unprepared(prepared, 0)[1], debugName: null };
    }
    const { step } = prepared;
    const decision = await judgeStep(step, outcome, { ...engine, lostSession });
    const name = debugName(step.agent.id, step.file.name, step.process);
    return { prompt: await promptOf(step, run.backend), decision, debugName: name };
  };
}

/** The prompt as it would be sent: the executor sends it to nobody. */
async function promptOf(step: Step, backend: string): Promise<string | null> {
  if (step.file.kind !== "prompt") return null;
  let sent: string | null = null;
  const never = new AbortController().signal;
  await promptExecutor(silentBackend(backend), () => 0).execute(
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

/** It hears everything, and says nothing. */
function silentBackend(name: string): Backend {
  return {
    name,
    can: { branch: true, resume: true, effort: true, budget: true, tools: true },
    recall: () => Promise.resolve(null),
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
