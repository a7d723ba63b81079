import { isDeepStrictEqual } from "node:util";
import { parseDuration } from "../../src/language/basics/duration.ts";
import { fullName } from "../../src/language/protocol/address.ts";
import type { Agent } from "../../src/machine/model/agent.ts";
import type { RunState } from "../../src/machine/model/run-state.ts";
import { questionOf } from "../../src/machine/moves/question.ts";
import type { Conversations } from "./conversations.ts";
import { isEnough } from "./entries.ts";
import type { Oracle } from "./oracle.ts";
import type { People } from "./people.ts";
import { PROMPT_TOKENS } from "./program.ts";

/** Checks the effects of time and failures, and passes them to the reference. */
export function learnTurns(
  { before, after }: { readonly before: RunState; readonly after: RunState },
  oracle: Oracle,
  conversations: Conversations,
  people: People,
): void {
  const now = Date.parse(after.updatedAt);
  const former = new Map(before.agents.map((agent) => [agent.id, agent]));
  for (const agent of after.agents) {
    const { id } = agent;
    const was = former.get(id);
    if (was === agent || !oracle.living.has(id)) continue;
    const stuck = agent.reports && agent.activity.type === "failed";
    oracle.hold(!stuck, () => `${id} has failed, but this was not reported to its parent`);
    if (isJoining(agent)) waitFor(agent, oracle);
    else oracle.settle(agent, was, before, now);
    waitForPerson(agent, was, now, { oracle, people });
    const { wanted, state } = oracle.moment(id);
    if (agent.wanted === null || wanted !== null) continue;
    const led = fullName({ workflow: agent.workflow, state: agent.wanted });
    oracle.hold(led === state, () => `${id} did not want ${led}`);
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

/** A question has the time that it was given, over stops and crashes, and then an end. */
function waitForPerson(
  agent: Agent,
  was: Agent | undefined,
  now: number,
  { oracle, people }: { readonly oracle: Oracle; readonly people: People },
): void {
  const { id } = agent;
  const question = questionOf(agent);
  const former = was === undefined ? null : questionOf(was);
  const same = question !== null && question.number === former?.number;
  if (former !== null && !same) oracle.checkAnswer(id, former, people.answerTo(former), now);
  if (question === null) return;
  const { asks } = oracle.moment(id);
  oracle.hold(
    asks !== null &&
      isDeepStrictEqual([question.question, question.options], [asks.question, asks.options]),
    () => `${id} asks ${question.question}, unexpectedly`,
  );
  const timeout = asks === null ? null : asks.timeout;
  const latest = timeout === null ? null : now + (parseDuration(timeout) ?? 0);
  const { until } = question;
  const right = same
    ? until === former.until
    : (until === null) === (latest === null) && (until ?? 0) <= (latest ?? 0);
  oracle.hold(right || oracle.setBack, () => `${id} may be answered until ${String(until)}`);
}

/** Whether it waits for its workers. */
export function isJoining({ activity }: Agent): boolean {
  return activity.type === "waiting" && activity.for.kind === "join";
}
