import { runningOf } from "../core/machine/activity.ts";
import type { Agent, AgentId } from "../core/machine/agent.ts";
import { expectedTokens } from "../core/machine/context.ts";
import type { StepOutcome } from "../core/machine/outcome.ts";
import { partOf, type Recollection, usedBy } from "../core/machine/recollection.ts";
import type { RunState } from "../core/machine/run-state.ts";
import { NO_SPEND } from "../core/machine/spend.ts";
import { readReply } from "../core/protocol/reply.ts";
import type { Engine } from "./engine.ts";
import { judgeStep } from "./judge-step.ts";
import { prepareStep } from "./prepare-step.ts";
import { type Ended, endedBy } from "./step-agent.ts";

/** What has become of the prompt steps that were in flight when raymond died. */
export interface Recalled {
  readonly recollections: ReadonlyMap<AgentId, Recollection>;
  /** Steps that the client has finished by itself. */
  readonly ends: readonly Ended[];
}

/** Looks into the conversations of all steps in flight; their clients must be dead. */
export async function recallSteps(run: RunState, engine: Engine): Promise<Recalled> {
  const recollections = new Map<AgentId, Recollection>();
  const ends: Ended[] = [];
  for (const agent of run.agents) {
    const found = await recall(run, agent, engine);
    if (found === null) continue;
    const outcome = outcomeOf(agent, found);
    const end = outcome === null ? null : await judgeLate(run, agent, outcome, engine);
    if (end !== null) ends.push(end);
    recollections.set(agent.id, end === null ? { ...found, answer: null } : found);
  }
  return { recollections, ends };
}

/** The end of a step whose client has finished while raymond was dead; null where it cannot be judged any more. */
async function judgeLate(
  run: RunState,
  agent: Agent,
  outcome: StepOutcome,
  engine: Engine,
): Promise<Ended | null> {
  // What there was to warn about was told when the step was started.
  const prepared = await prepareStep(run, agent, engine, () => undefined);
  if (prepared.kind !== "step") return null;
  return endedBy(agent, outcome, await judgeStep(prepared.step, outcome, engine), engine);
}

async function recall(run: RunState, agent: Agent, engine: Engine): Promise<Recollection | null> {
  const { session, cwd } = agent;
  const running = runningOf(agent);
  if (running?.kind !== "prompt" || session.id === null) return null;
  const since = Date.parse(running.startedAt);
  return engine.backend.recall({
    session: session.id,
    cwd: cwd ?? run.launchDir,
    since,
    part: partOf(agent, running),
    model: run.settings.model,
    contextTokens: expectedTokens(run, session),
  });
}

function outcomeOf(agent: Agent, recollection: Recollection): StepOutcome | null {
  const running = runningOf(agent);
  const { answer } = recollection;
  if (answer === null || running === null) return null;
  return {
    kind: "output",
    reading: readReply(answer),
    spoke: answer !== "",
    session: agent.session.id,
    capped: false,
    denials: [],
    spend: usedBy(running, recollection) ?? NO_SPEND,
    // Nobody has measured it, and nobody has seen its exit.
    durationMs: 0,
    exitCode: 0,
  };
}
