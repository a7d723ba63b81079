import { runningOf } from "../core/machine/activity.ts";
import type { Input } from "../core/machine/advance.ts";
import type { Agent, AgentId } from "../core/machine/agent.ts";
import type { Decision } from "../core/machine/decision.ts";
import type { Event } from "../core/machine/event.ts";
import { failure } from "../core/machine/failure.ts";
import { stepKind, stepName } from "../core/machine/gate.ts";
import { failedAttempt, type StepOutcome } from "../core/machine/outcome.ts";
import { findAgent } from "../core/machine/roster.ts";
import type { RunState } from "../core/machine/run-state.ts";
import type { StepListener } from "../ports/step-events.ts";
import { tellEnded } from "./ended-leftovers.ts";
import type { Engine } from "./engine.ts";
import { judgeStep } from "./judge-step.ts";
import { type Prepared, prepareStep } from "./prepare-step.ts";
import type { Shutdown } from "./shutdown.ts";

export type Ended = Extract<Input, { type: "ended" }>;

/** What a step tells while it runs: what the machine must know, and what only watchers want to know. */
export type Progress =
  | Extract<Input, { type: "accepted" | "spending" }>
  | { readonly type: "event"; readonly event: Event };

/**
 * One attempt of one agent's step, from its state file to the judgement of what
 * came back. The run must be saved with this step in flight. Whatever is wrong
 * with the workflow is an outcome; only bugs reject.
 */
export function stepAgent(
  run: RunState,
  id: AgentId,
  engine: Engine,
  shutdown: Shutdown,
  post: (progress: Progress) => void,
): Promise<Ended> {
  const agent = findAgent(run, id);
  const tell = (event: Event): void => {
    post({ type: "event", event });
  };
  // A suspended async function holds all its parameters: the run, which moves on meanwhile, is none of them.
  const began = engine.clock.elapsed();
  return perform(prepareStep(run, agent, engine, tell), agent, began, engine, shutdown, tell, post);
}

async function perform(
  preparing: ReturnType<typeof prepareStep>,
  agent: Agent,
  began: number,
  engine: Engine,
  shutdown: Shutdown,
  tell: (event: Event) => void,
  post: (progress: Progress) => void,
): Promise<Ended> {
  const prepared = await preparing;
  if (prepared.kind !== "step") {
    const durationMs = engine.clock.elapsed() - began;
    return endedBy(agent, ...unprepared(prepared, durationMs), engine);
  }
  const { step } = prepared;
  const listener = listen(agent, tell, post);
  const cancellation = shutdown.of(stepKind(agent), agent.id);
  const recorder = engine.recorder(step);
  const outcome = await engine.executor
    .execute(step, cancellation, listener, recorder)
    .finally(() => {
      shutdown.release(agent.id);
    });
  const decision = await judgeStep(step, outcome, engine);
  if (isTriedAgain(outcome, decision)) {
    // A client can die alone, and its tool works on: two attempts must not work at the same time.
    const { ended } = await engine.leftovers.endStep(step.token);
    for (const event of tellEnded(ended)) tell(event);
  }
  return endedBy(agent, outcome, decision, engine);
}

/** The end of a step in flight, as the machine takes it. */
export function endedBy(
  agent: Agent,
  outcome: StepOutcome,
  decision: Decision,
  engine: Engine,
): Ended {
  return {
    type: "ended",
    agent: agent.id,
    process: runningOf(agent)?.process ?? 0,
    outcome,
    decision,
    at: engine.clock.now(),
    dice: engine.dice(),
  };
}

/** The same step is done again after an attempt that failed. */
function isTriedAgain(outcome: StepOutcome, { kind }: Decision): boolean {
  return outcome.kind === "failure" && kind !== "fail" && kind !== "divert" && kind !== "hand-over";
}

/** What comes of a step that is not executed. */
export function unprepared(
  prepared: Exclude<Prepared, { kind: "step" }>,
  durationMs: number,
): readonly [StepOutcome, Decision] {
  switch (prepared.kind) {
    case "halt": {
      const { halt } = prepared;
      return [failedAttempt(failure("deterministic", halt.problem)), { kind: "halt", ...halt }];
    }
    case "hand-over":
      return [failedAttempt(failure("deterministic", prepared.problem)), prepared];
    case "failure": {
      const { failure: why } = prepared;
      return [failedAttempt(why, { durationMs }), { kind: "fail", failure: why }];
    }
  }
}

function listen(
  agent: Agent,
  tell: (event: Event) => void,
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
      tell({ type: "step.message", ...at, text });
    },
    output: (stream, text) => {
      tell({ type: "step.output", ...at, stream, text });
    },
    tool: (tool, argument) => {
      tell({ type: "step.tool", ...at, tool, argument });
    },
    notice: (text) => {
      tell({ type: "step.notice", ...at, text });
    },
    warning: (message) => {
      tell({ type: "run.warning", message, hint: null });
    },
  };
}
