import { fullName } from "../protocol/address.ts";
import type { Event } from "./event.ts";
import type { RunState } from "./run-state.ts";
import { waitsOf } from "./waits.ts";

/**
 * What agents have begun to wait for since somebody looked last: told once each
 * time. The pause before the next attempt and the want of money are told by what
 * causes them. At the first look (`lookedAt` is null) every wait is new, for
 * whoever watches a resumed run has heard of none. `now` and `lookedAt` are epoch ms.
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
    return wait === null || wait.kind === "retry" || wait.kind === "money" ? [] : { agent, wait };
  });
  if (waiting.length === 0) return [];
  const former = lookedAt === null ? null : waitsOf(before, lookedAt);
  const known = new Map(before.agents.map((agent) => [agent.id, former?.(agent)?.kind]));
  return waiting.flatMap(({ agent, wait }): readonly Event[] =>
    known.get(agent.id) === wait.kind
      ? []
      : [{ type: "agent.waiting", agent: agent.id, state: fullName(agent), wait }],
  );
}
