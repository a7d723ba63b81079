import type { Input } from "../../machine/advance.ts";
import type { Decision } from "../../machine/decide/decision.ts";
import type { Step } from "../../machine/decide/step.ts";
import { runningOf } from "../../machine/model/activity.ts";
import type { Agent, AgentId } from "../../machine/model/agent.ts";
import type { Event } from "../../machine/model/event.ts";
import { failure } from "../../machine/model/failure.ts";
import { stepKind, stepName } from "../../machine/model/gate.ts";
import { failedAttempt, type StepOutcome } from "../../machine/model/outcome.ts";
import { findAgent } from "../../machine/model/roster.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import type { Engine } from "../engine.ts";
import { judgeStep } from "../judge-step.ts";
import { orphanWarnings } from "../orphan-warnings.ts";
import type { StepListener } from "../ports/step-events.ts";
import type { Shutdown } from "../shutdown.ts";
import { prepareStep } from "./prepare-step.ts";

export type Ended = Extract<Input, { type: "ended" }>;

/** Progress of a running step: inputs for the machine, and events for observers only. */
export type Progress =
  | Extract<Input, { type: "accepted" | "spending" }>
  | { readonly type: "event"; readonly event: Event };

/**
 * One attempt of an agent's step, from reading the state file to evaluating the output. The run
 * must be saved with this step in flight. Problems of the workflow are outcomes; only bugs reject.
 */
export function stepAgent(
  run: RunState,
  id: AgentId,
  engine: Engine,
  shutdown: Shutdown,
  post: (progress: Progress) => void,
): Promise<Ended> {
  const agent = findAgent(run, id);
  const report = (event: Event): void => {
    post({ type: "event", event });
  };
  // A suspended async function keeps its parameters in memory, so the run is not passed to it.
  const startedAt = engine.clock.elapsed();
  return perform(
    prepareStep(run, agent, engine, report),
    agent,
    startedAt,
    engine,
    shutdown,
    report,
    post,
  );
}

async function perform(
  preparing: ReturnType<typeof prepareStep>,
  agent: Agent,
  startedAt: number,
  engine: Engine,
  shutdown: Shutdown,
  report: (event: Event) => void,
  post: (progress: Progress) => void,
): Promise<Ended> {
  const prepared = await preparing;
  if (prepared.kind !== "step") {
    const durationMs = engine.clock.elapsed() - startedAt;
    const outcome =
      prepared.kind === "fail"
        ? failedAttempt(prepared.failure, { durationMs })
        : failedAttempt(failure("deterministic", prepared.problem));
    return endedBy(agent, outcome, prepared, engine);
  }
  const { step } = prepared;
  const listener = listenerFor(agent, report, post);
  const cancellation = shutdown.of(stepKind(agent), agent.id);
  const recorder = engine.recorder(step);
  const snapshot = (await engine.snapshots?.begin(step, listener)) ?? null;
  const outcome = await engine.executor
    .execute(step, cancellation, listener, recorder)
    .finally(() => {
      shutdown.release(agent.id);
    });
  const decision = await judgeStep(step, outcome, engine, report);
  if (isRetried(outcome, decision)) {
    // A client can die while its tool continues. Two attempts must not work at the same time.
    const cleanup = await engine.orphans.endStep(step.token);
    for (const event of orphanWarnings(cleanup)) report(event);
  }
  const changes = (await snapshot?.end()) ?? null;
  const ended = endedBy(agent, outcome, decision, engine, step);
  return changes === null ? ended : { ...ended, changes };
}

/** The end of a step as an input of the machine. */
export function endedBy(
  agent: Agent,
  outcome: StepOutcome,
  decision: Decision,
  engine: Engine,
  step: Pick<Step, "permissions"> | null = null,
): Ended {
  const denies = "denials" in outcome && (outcome.denials ?? []).length > 0;
  const { narrowed, asked } = step?.permissions ?? {};
  return {
    type: "ended",
    agent: agent.id,
    process: runningOf(agent)?.process ?? 0,
    outcome,
    decision,
    ...(denies && narrowed === true && { narrowed: true }),
    ...(denies && asked !== undefined && { asked }),
    at: engine.clock.now(),
    dice: engine.random(),
  };
}

/** The same step runs again after a failed attempt. */
function isRetried(outcome: StepOutcome, { kind }: Decision): boolean {
  return outcome.kind === "failure" && kind !== "fail" && kind !== "divert" && kind !== "hand-over";
}

function listenerFor(
  agent: Agent,
  report: (event: Event) => void,
  post: (progress: Progress) => void,
): StepListener {
  const { id } = agent;
  const at = { agent: id, state: stepName(agent) };
  const process = runningOf(agent)?.process ?? 0;
  return {
    accepted: (conversationBytes = null) => {
      post({ type: "accepted", agent: id, process, conversationBytes });
    },
    spending: (spend) => {
      post({ type: "spending", agent: id, process, spend });
    },
    message: (text) => {
      report({ type: "step.message", ...at, text });
    },
    output: (stream, text) => {
      report({ type: "step.output", ...at, stream, text });
    },
    tool: (tool, argument) => {
      report({ type: "step.tool", ...at, tool, argument });
    },
    notice: (text, { minor } = { minor: false }) => {
      report({ type: "step.notice", ...at, text, ...(minor && { minor }) });
    },
    warning: (message) => {
      report({ type: "run.warning", message, hint: null });
    },
  };
}
