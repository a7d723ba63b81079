import { fullName } from "../protocol/address.ts";
import type { Agent } from "./agent.ts";
import type { AgentWait } from "./agent-wait.ts";
import type { Event } from "./event.ts";
import { questionOf, tellQuestion } from "./question.ts";
import type { RunState } from "./run-state.ts";
import { waitsOf } from "./waits.ts";

/**
 * What agents have begun to wait for since somebody looked last: told once each
 * time. The pause before the next attempt, the want of money, a person in the conversation
 * and questions are told by what causes them. At the first look (`lookedAt` is null) every wait is new, for
 * whoever watches a resumed run has heard of none: it asks its questions again.
 * `now` and `lookedAt` are epoch ms.
 */
export function waitsBegun(
  before: RunState,
  after: RunState,
  lookedAt: number | null,
  now: number,
): readonly Event[] {
  if (after.stopReason !== null) return [];
  const current = waitsOf(after, now);
  const waiting = after.agents.flatMap((agent) => {
    const wait = current(agent);
    return wait === null || TOLD_BY_ITS_CAUSE.has(wait.kind) ? [] : { agent, wait };
  });
  if (waiting.length === 0) return [];
  const former = lookedAt === null ? null : waitsOf(before, lookedAt);
  const known = new Map(before.agents.map((agent) => [agent.id, former?.(agent)?.kind]));
  return waiting.flatMap(({ agent, wait }): readonly Event[] => {
    if (wait.kind === "answer") return former === null ? askAgain(agent) : [];
    if (known.get(agent.id) === wait.kind) return [];
    return [{ type: "agent.waiting", agent: agent.id, state: fullName(agent), wait }];
  });
}

const TOLD_BY_ITS_CAUSE: ReadonlySet<AgentWait["kind"]> = new Set(["retry", "money", "opened"]);

function askAgain(agent: Agent): readonly Event[] {
  const question = questionOf(agent);
  return question === null ? [] : [tellQuestion(question)];
}
