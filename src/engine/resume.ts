import { fullName } from "../language/protocol/address.ts";
import type { Input } from "../machine/advance.ts";
import type { AgentId } from "../machine/model/agent.ts";
import type { Event } from "../machine/model/event.ts";
import { findAgent } from "../machine/model/roster.ts";
import type { RunSettings, RunState } from "../machine/model/run-state.ts";
import type { Control, Engine } from "./engine.ts";
import { EventBatch } from "./event-batch.ts";
import { orphanWarnings } from "./orphan-warnings.ts";
import { recoverSteps } from "./recover-steps.ts";
import { driveRun } from "./start.ts";

/** Facts about a resume for the event log. */
export interface ResumeNotes {
  /** Events to report before all others. */
  readonly first?: readonly Event[] | undefined;
  /** Changed settings, one per entry. */
  readonly changed?: readonly string[] | undefined;
}

/**
 * Resumes a stopped or crashed run and drives it to its end. The caller holds the run's lock. First
 * terminates orphan processes of the previous owner: a client outlives its parent and continues
 * working. Then recovers finished answers from the conversations, so that no work is repeated
 * (docs/durability.md, "How it works").
 */
export async function resumeRun(
  loaded: RunState,
  given: Partial<RunSettings>,
  engine: Engine,
  control: Control,
  { first = [], changed = [] }: ResumeNotes = {},
): Promise<RunState> {
  const cleanup = await engine.orphans.end(loaded.token);
  const { sessions, ends } = await recoverSteps(loaded, engine);
  const recalled = Object.fromEntries(sessions);
  const resumed: Input = {
    type: "resumed",
    given,
    recalled,
    reported: await engine.lastEventSeq(),
  };
  const batch = new EventBatch(loaded, 0);
  batch.advance(resumed);
  const { id, agents, backend } = batch.run;
  batch.report(...first);
  const { actor } = engine;
  const differs = changed.length > 0 && { changed };
  batch.report({ type: "run.resumed", run: id, agents: agents.length, backend, actor, ...differs });
  batch.report(...orphanWarnings(cleanup, "A process of the interrupted run was still alive"));
  for (const end of ends) {
    batch.report(finishedNotice(batch.run, end.agent));
    batch.advance(end);
  }
  return driveRun(batch, { kind: "resumed", run: loaded }, engine, control);
}

function finishedNotice(run: RunState, id: AgentId): Event {
  const state = fullName(findAgent(run, id));
  const text = `The client had finished ${state} before the resume; its answer is used.`;
  return { type: "step.notice", agent: id, state, text };
}
