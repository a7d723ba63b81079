import { resumeAdvice } from "../../console/summary.ts";
import type { ControlRequest } from "../../engine/ports/control-request.ts";
import type { Input } from "../../machine/advance.ts";
import { waitsByBackend } from "../../machine/backends/backend-waits.ts";
import { isRetrying } from "../../machine/model/activity.ts";
import type { Agent, AgentId } from "../../machine/model/agent.ts";
import type { RunId, RunState } from "../../machine/model/run-state.ts";
import { isDelayed } from "../../machine/moves/delay.ts";
import type { Caller } from "../../wire/caller.ts";
import type { RunSource } from "../../wire/run-source.ts";
import { loadNamed, type NamedRun, nameRun, type WantedAgents } from "../../wire/stores.ts";
import { logEvents, recordInput } from "../record-input.ts";
import { request } from "./control-requests.ts";

/** `agents`: the agents whose waits end. */
export type Retried = { readonly id: RunId } & (
  | { readonly outcome: "not-waiting"; readonly waiting: readonly AgentId[] }
  /** The process that drives the run reacted, or did not within some seconds: `next` shows its status. */
  | { readonly outcome: "retrying"; readonly pid: number; readonly agents: readonly AgentId[] }
  | { readonly outcome: "no-reaction"; readonly pid: number; readonly next: string }
  /** A fleet run with a later start time: it starts as soon as a worker is free. */
  | { readonly outcome: "queued" }
  /** No process drives the run: the waits are ended in the state file. `next` resumes the run. */
  | { readonly outcome: "recorded"; readonly agents: readonly AgentId[]; readonly next: string }
);

/**
 * Ends delays, and waits for usage limits or outages, of a run or of one agent now. A usage limit or an
 * outage stops no single agent: naming an agent that waits for one makes the whole run retry. `not-waiting`
 * lists in `waiting` the agents that wait where the named one does not.
 */
export async function retry(wanted: WantedAgents, caller: Caller): Promise<Retried> {
  return retryNamed(await nameRun(wanted, caller), wanted.agent ?? null, caller);
}

/** `agent`: null for all agents. */
export async function retryNamed(
  { id, store, program }: Pick<NamedRun, "id" | "store" | "program">,
  agent: AgentId | null,
  caller: Pick<Caller, "now" | "actor">,
): Promise<Retried> {
  await store.audit(id, "retry", caller.actor());
  const run = await loadNamed(store, id);
  if (agent === null && (await startsNow(store, id))) return { id, outcome: "queued" };
  const waits = waitsOf(run, agent, caller.now());
  const { agents } = waits;
  if (!waits.delays && !waits.retries) {
    return { id, outcome: "not-waiting", waiting: waitsOf(run, null, caller.now()).agents };
  }
  const reacted = (now: RunState) => {
    return keysOf(now, agents).every((key, index) => key !== keysOf(run, agents)[index]);
  };
  const actor = caller.actor();
  const asked: readonly ControlRequest[] = [
    ...(waits.delays ? [{ agent, actor }] : []),
    // One record of both requests is enough.
    ...(waits.retries ? [{ retry: "now", ...(!waits.delays && { actor }) } as const] : []),
  ];
  const reaction = await request(store, id, asked, { reacted });
  if (reaction !== null) {
    const { pid } = reaction.holder;
    return reaction.reacted
      ? { id, outcome: "retrying", pid, agents }
      : { id, outcome: "no-reaction", pid, next: `${program} status ${id}` };
  }
  const at = caller.now();
  const inputs: readonly Input[] = [
    ...(waits.delays ? [{ type: "woke", agent } as const] : []),
    ...(waits.retries ? [{ type: "retry-now", at } as const] : []),
  ];
  for (const input of inputs) await recordInput(store, id, input, at);
  const controlled = {
    type: "run.controlled",
    run: id,
    action: "retry",
    target: agent,
    actor,
  } as const;
  await logEvents(store, await loadNamed(store, id), [controlled], caller);
  return { id, outcome: "recorded", agents, next: resumeAdvice(run, program) ?? "" };
}

interface Waits {
  readonly agents: readonly AgentId[];
  readonly delays: boolean;
  readonly retries: boolean;
}

function waitsOf(run: RunState, agent: AgentId | null, now: number): Waits {
  const of = run.agents.filter(({ id }) => agent === null || id === agent);
  const delayed = of.filter(isDelayed);
  const retrying = run.status === "completed" ? [] : of.filter(isRetrying);
  // The limit stays in the state until a prompt succeeds, so `until` shows whether the run still waits.
  const limited =
    run.status !== "completed" && waitsByBackend(run).some(({ wait }) => wait.until > now);
  return {
    agents: [...delayed, ...retrying].map(({ id }) => id),
    delays: delayed.length > 0,
    retries: retrying.length > 0 || (agent === null && limited),
  };
}

/** One key per wait, which changes when that wait ends; the waits of the run if no agent waits. */
function keysOf({ agents, waits }: RunState, ids: readonly AgentId[]): readonly string[] {
  if (ids.length === 0) return [JSON.stringify(waits)];
  const until = ({ activity }: Agent) => (activity.type === "waiting" ? activity.until : null);
  return ids.map((id) => {
    const agent = agents.find((each) => each.id === id);
    return agent === undefined ? "ended" : String(until(agent));
  });
}

/** False if the run is not queued with a later start time. */
async function startsNow({ queue }: RunSource, id: RunId): Promise<boolean> {
  const expected = (await queue.expected()).get(id);
  if (expected === undefined || expected.startsAt === null) return false;
  return queue.startNow(id);
}
