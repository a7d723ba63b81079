import type { Agent, AgentId } from "../core/machine/agent.ts";
import { isDelayed } from "../core/machine/delay.ts";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import { resumeAdvice } from "../observers/summary.ts";
import type { Store } from "../ports/store.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { request } from "./control-requests.ts";
import { loadNamed } from "./load-named.ts";
import { recordInput } from "./record-input.ts";
import { nameRun, type Wanted } from "./wire/stores.ts";

/** A run, and of its agents perhaps one. */
export interface WantedAgents extends Wanted {
  /** Without it, all that wait for a time. */
  readonly agent?: AgentId | undefined;
}

/** What came of the request to end delays. */
export type Woken = {
  readonly id: RunId;
} /** Nobody waits so whom it could be about; `delayed`: who does. */ & (
  | { readonly outcome: "not-delayed"; readonly delayed: readonly AgentId[] }
  /** The process that drives the run reacted, or did not within some seconds: `next` shows its status. */
  | { readonly outcome: "heard"; readonly pid: number; readonly agents: readonly AgentId[] }
  | { readonly outcome: "no-reaction"; readonly pid: number; readonly next: string }
  /** It was to begin later, in its fleet, and is to begin as soon as a worker is free. */
  | { readonly outcome: "begun" }
  /** No process drives the run: the delay is ended in the state file. `next` resumes the run. */
  | { readonly outcome: "delay-ended"; readonly agents: readonly AgentId[]; readonly next: string }
);

/**
 * Ends the delays of a run now. The process that drives the run receives a request.
 * Without one, or where it has died, they are ended in the state file.
 */
export async function wake(wanted: WantedAgents, caller: Caller = thisProcess()): Promise<Woken> {
  const { id, store, program } = await nameRun(wanted, caller);
  const agent = wanted.agent ?? null;
  const run = await loadNamed(store, id);
  if (agent === null && (await beginsNow(store, id))) return { id, outcome: "begun" };
  const delayed = run.agents.filter(isDelayed).map((each) => each.id);
  const agents = delayed.filter((each) => agent === null || each === agent);
  if (agents.length === 0) return { id, outcome: "not-delayed", delayed };
  const reacted = (now: RunState) => !stillWait(now, run, agents);
  const reaction = await request(store, id, { agent }, { reacted });
  if (reaction !== null) {
    const { pid } = reaction.holder;
    return reaction.reacted
      ? { id, outcome: "heard", pid, agents }
      : { id, outcome: "no-reaction", pid, next: `${program} status ${id}` };
  }
  await recordInput(store, id, { type: "woke", agent }, caller.now());
  return { id, outcome: "delay-ended", agents, next: resumeAdvice(run, program) ?? "" };
}

/** Of a run that has begun there is nothing in the queue that could begin. */
async function beginsNow({ remote }: Pick<Store, "remote">, id: RunId): Promise<boolean> {
  const expected = (await remote?.expected())?.get(id);
  if (expected === undefined || expected.beginsAt === null) return false;
  return (await remote?.beginNow(id)) === true;
}

/** Whether one of them waits as before. */
function stillWait(run: RunState, before: RunState, agents: readonly AgentId[]): boolean {
  const until = ({ activity }: Agent) => (activity.type === "waiting" ? activity.until : null);
  const known = new Map(before.agents.map((agent) => [agent.id, until(agent)]));
  return run.agents.some(
    (agent) =>
      agents.includes(agent.id) && isDelayed(agent) && until(agent) === known.get(agent.id),
  );
}
