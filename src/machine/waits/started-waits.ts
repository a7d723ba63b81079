import { fullName } from "../../language/protocol/address.ts";
import type { Agent } from "../model/agent.ts";
import type { AgentWait } from "../model/agent-wait.ts";
import type { Event } from "../model/event.ts";
import type { RunState } from "../model/run-state.ts";
import { questionEvent, questionOf } from "../moves/question.ts";
import { waitsOf } from "./waits.ts";

/**
 * Events of waits that started since the last poll. Backoffs, an exhausted budget, manual sessions and
 * questions have their own events. At the first poll (`lookedAt` is null) every wait is new, and a
 * resumed run repeats its questions. Times in epoch ms.
 */
export function startedWaits(
  before: RunState,
  after: RunState,
  lookedAt: number | null,
  now: number,
): readonly Event[] {
  if (after.stopReason !== null) return [];
  const current = waitsOf(after, now);
  const waiting = after.agents.flatMap((agent) => {
    const wait = current(agent);
    return wait === null || HAS_OWN_EVENT.has(wait.kind) ? [] : { agent, wait };
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

const HAS_OWN_EVENT: ReadonlySet<AgentWait["kind"]> = new Set(["retry", "money", "opened"]);

function askAgain(agent: Agent): readonly Event[] {
  const question = questionOf(agent);
  return question === null ? [] : [questionEvent(question)];
}
