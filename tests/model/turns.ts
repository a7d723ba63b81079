import type { Agent } from "../../src/core/machine/agent.ts";
import type { RunState } from "../../src/core/machine/run-state.ts";
import type { Conversations } from "./conversations.ts";
import { isEnough } from "./entries.ts";
import type { Oracle } from "./oracle.ts";
import { PROMPT_TOKENS } from "./program.ts";

/** What came as time and failures would have it: it may have come so, and the reference is told. */
export function learnTurns(
  { before, after }: { readonly before: RunState; readonly after: RunState },
  oracle: Oracle,
  conversations: Conversations,
): void {
  const now = Date.parse(after.updatedAt);
  const former = new Map(before.agents.map((agent) => [agent.id, agent]));
  for (const agent of after.agents) {
    const { id } = agent;
    const was = former.get(id);
    if (was === agent || !oracle.living.has(id)) continue;
    const stuck = agent.reports && agent.activity.type === "failed";
    oracle.hold(!stuck, () => `${id} has failed, and its parent was not told`);
    if (isJoining(agent)) waitFor(agent, oracle);
    else oracle.settle(agent, was, before, now);
    const { wanted, state } = oracle.moment(id);
    if (agent.wanted === null || wanted !== null) continue;
    oracle.hold(agent.wanted === state, () => `${id} did not want ${String(agent.wanted)}`);
    const held = conversations.history(agent.session) ?? [];
    oracle.hold(
      oracle.forgetful.has(id) || held.length * PROMPT_TOKENS > oracle.most(state),
      () => `${id} was led away from ${state} with ${String(held.length)} prompts`,
    );
    // An attempt that has failed has left its prompt there, and the reference knows of none.
    if (held.at(-1) === `${id}#${String(oracle.moment(id).n)}`) oracle.forgetful.add(id);
    oracle.handOver(agent);
  }
}

/** Who waits for workers knows how each stands, and has to wait. */
function waitFor({ id, forked, activity }: Agent, oracle: Oracle): void {
  for (const { agent, end } of forked) {
    oracle.hold(
      oracle.living.has(agent) === (end === null) &&
        (end?.ok !== true || end.result === oracle.results.get(agent)),
      () => `${id} knows of ${agent}: ${JSON.stringify(end)}`,
    );
  }
  const joins = activity.type === "waiting" && activity.for.kind === "join" ? activity.for : null;
  const entries = forked.map(({ end }) => ({ ok: end?.ok ?? null }));
  oracle.hold(
    !isEnough(entries, joins?.min ?? null),
    () => `${id} waits, and enough of its workers have ended`,
  );
}

/** Whether it waits for its workers. */
export function isJoining({ activity }: Agent): boolean {
  return activity.type === "waiting" && activity.for.kind === "join";
}
