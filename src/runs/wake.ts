import type { Agent, AgentId } from "../core/machine/agent.ts";
import { isDelayed } from "../core/machine/delay.ts";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import { resumeAdvice } from "../observers/summary.ts";
import type { LockHolder, Store } from "../ports/store.ts";
import { type Caller, thisProcess } from "./caller.ts";
import { becomes, loadNamed } from "./reaction.ts";
import { recordInput } from "./record-input.ts";
import { RETRY_SIGNAL } from "./retry-signal.ts";
import { signalHolder } from "./wire/signal-holder.ts";
import { nameRun, type Wanted } from "./wire/stores.ts";
import { leaveWish } from "./wishes.ts";

/** A run, and of its agents perhaps one. */
export interface WantedAgents extends Wanted {
  /** Without it, all that wait for a time. */
  readonly agent?: AgentId | undefined;
}

/** What came of the wish that agents wait no longer for a time. */
export type Woken = {
  readonly id: RunId;
} /** Nobody waits so whom it could be about; `delayed`: who does. */ & (
  | { readonly outcome: "not-delayed"; readonly delayed: readonly AgentId[] }
  /** The process that holds it was told, and has heard it, or has not reacted within some seconds: the command that shows it. */
  | { readonly outcome: "heard"; readonly pid: number; readonly agents: readonly AgentId[] }
  | { readonly outcome: "no-reaction"; readonly pid: number; readonly next: string }
  /** It was to begin later, in its fleet, and is to begin as soon as a worker is free. */
  | { readonly outcome: "begun" }
  /** Nobody holds it: the delay is ended in the state file. The command that goes on with it. */
  | { readonly outcome: "delay-ended"; readonly agents: readonly AgentId[]; readonly next: string }
);

/**
 * Ends the delays of a run now. A process that holds it is told by a wish and a
 * signal; of a run that nobody holds they are ended in the state file.
 */
export async function wake(wanted: WantedAgents, caller: Caller = thisProcess()): Promise<Woken> {
  const { id, store, program } = await nameRun(wanted, caller);
  const agent = wanted.agent ?? null;
  const run = await loadNamed(store, id);
  if (agent === null && (await beginsNow(store, id))) return { id, outcome: "begun" };
  const delayed = run.agents.filter(isDelayed).map((each) => each.id);
  const agents = delayed.filter((each) => agent === null || each === agent);
  if (agents.length === 0) return { id, outcome: "not-delayed", delayed };
  const holder = await store.holder(id);
  if (holder !== null) {
    if (await isHeard(store, run, holder, agent, agents)) {
      return { id, outcome: "heard", pid: holder.pid, agents };
    }
    // It may have died meanwhile.
    if ((await store.holder(id)) !== null) {
      return { id, outcome: "no-reaction", pid: holder.pid, next: `${program} status ${id}` };
    }
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

async function isHeard(
  store: Store,
  before: RunState,
  holder: LockHolder,
  agent: AgentId | null,
  agents: readonly AgentId[],
): Promise<boolean> {
  const { id } = before;
  const takeBack = await leaveWish(store, id, { agent });
  try {
    const told = await signalHolder(store, id, RETRY_SIGNAL, holder);
    return told && (await becomes(store, id, (run) => !stillWait(run, before, agents)));
  } finally {
    await takeBack();
  }
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
