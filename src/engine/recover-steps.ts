import { readReply } from "../language/protocol/reply.ts";
import { runningOf } from "../machine/model/activity.ts";
import type { Agent, AgentId } from "../machine/model/agent.ts";
import type { StepOutcome } from "../machine/model/outcome.ts";
import {
  callPartOf,
  type RecoveredSession,
  recoveredSpend,
} from "../machine/model/recovered-session.ts";
import type { RunState } from "../machine/model/run-state.ts";
import { NO_SPEND } from "../machine/model/spend.ts";
import { expectedTokens } from "../machine/spend/context.ts";
import type { Engine } from "./engine.ts";
import { judgeStep } from "./judge-step.ts";
import { prepareStep } from "./prepare/prepare-step.ts";
import { type Ended, endedBy } from "./prepare/step-agent.ts";

/** Results of the prompt steps that were in flight when raymond died. */
export interface RecoveredSteps {
  readonly sessions: ReadonlyMap<AgentId, RecoveredSession>;
  /** Steps that the client finished on its own. */
  readonly ends: readonly Ended[];
}

/** Reads the conversations of all steps in flight. Their clients must be dead. */
export async function recoverSteps(run: RunState, engine: Engine): Promise<RecoveredSteps> {
  const recollections = new Map<AgentId, RecoveredSession>();
  const ends: Ended[] = [];
  for (const agent of run.agents) {
    const found = await recall(run, agent, engine);
    if (found === null) continue;
    const outcome = outcomeOf(agent, found);
    const end = outcome === null ? null : await judgeLate(run, agent, outcome, engine);
    if (end !== null) ends.push(end);
    recollections.set(agent.id, end === null ? { ...found, answer: null } : found);
  }
  return { sessions: recollections, ends };
}

/**
 * The end of a step whose client finished after raymond died; null if it cannot be evaluated any
 * more.
 */
async function judgeLate(
  run: RunState,
  agent: Agent,
  outcome: StepOutcome,
  engine: Engine,
): Promise<Ended | null> {
  // Warnings were already reported when the step started.
  const prepared = await prepareStep(run, agent, engine, () => undefined);
  if (prepared.kind !== "step") return null;
  const { step } = prepared;
  return endedBy(agent, outcome, await judgeStep(step, outcome, engine), engine, step);
}

async function recall(
  run: RunState,
  agent: Agent,
  engine: Engine,
): Promise<RecoveredSession | null> {
  const { session, cwd } = agent;
  const running = runningOf(agent);
  if (running === null || running.backend === null || session.id === null) return null;
  const since = Date.parse(running.startedAt);
  const { backend } = running;
  return engine.backends.of(backend).recover({
    session: session.id,
    cwd: cwd ?? run.launchDir,
    since,
    part: callPartOf(agent, running),
    model: backend === run.backend ? run.settings.model : null,
    contextTokens: expectedTokens(run, session, backend),
  });
}

function outcomeOf(agent: Agent, recollection: RecoveredSession): StepOutcome | null {
  const running = runningOf(agent);
  const { answer } = recollection;
  if (answer === null || running === null) return null;
  return {
    kind: "output",
    reading: readReply(answer),
    spoke: answer !== "",
    session: agent.session.id,
    capped: false,
    denials: recollection.denials ?? [],
    spend: recoveredSpend(running, recollection) ?? NO_SPEND,
    // The duration and the exit code are unknown.
    durationMs: 0,
    exitCode: 0,
  };
}
