import { resumeAdvice } from "../../console/summary.ts";
import { inspectErrors } from "../../inspect/errors.ts";
import { RaymondError } from "../../language/basics/errors.ts";
import { trimPayload } from "../../language/protocol/payload.ts";
import { MAX_PAYLOAD_CHARS } from "../../language/protocol/scan/element.ts";
import { pendingQuestionOf } from "../../machine/model/activity.ts";
import type { Agent, AgentId } from "../../machine/model/agent.ts";
import type { RunId, RunState } from "../../machine/model/run-state.ts";
import { isAtStep, type ResultByHand, targetOf } from "../../machine/moves/set-result.ts";
import { RunLockedError } from "../../storage/errors.ts";
import type { Caller } from "../../wire/caller.ts";
import { openSecrets } from "../../wire/engine/open-secrets.ts";
import type { RunSource } from "../../wire/run-source.ts";
import { loadNamed, nameRun, type Wanted } from "../../wire/stores.ts";
import { setErrors } from "../errors.ts";
import { logEvents, recordInput } from "../record-input.ts";
import { checkedResult } from "./check-result.ts";
import { request } from "./control-requests.ts";

export interface SetResultOptions extends Wanted {
  readonly agent: AgentId;
  readonly result: string;
  /** Why, for the event log. */
  readonly reason?: string | undefined;
}

/** `state`: the full name of the state that the result ends. */
export type ResultSet = { readonly id: RunId; readonly agent: AgentId; readonly state: string } & (
  | { readonly outcome: "received"; readonly pid: number }
  /** The process that holds the run has not responded: nothing was set. `next` shows its status. */
  | { readonly outcome: "no-reaction"; readonly pid: number; readonly next: string }
  /** Stored with the run. A worker resumes it. */
  | { readonly outcome: "queued" }
  /** Stored with the run. No process drives it: `next` resumes it. */
  | { readonly outcome: "kept"; readonly next: string }
);

/**
 * Ends the step of an agent with a result, as if its state had emitted `<result>`. A process that
 * drives the run ends the step first. The result is saved with the run before this resolves. Rejects
 * with a RaymondError if the agent has ended, waits for an answer, or continued in the meantime, or
 * if the result does not match the schemas of its state.
 */
export async function setResult(options: SetResultOptions, caller: Caller): Promise<ResultSet> {
  const { id, store, program } = await nameRun(options, caller);
  const run = await loadNamed(store, id);
  const agent = settableAgent(run, options.agent);
  const target = targetOf(agent);
  const result = validResult(openSecrets(run.settings, caller).text(options.result));
  const given: ResultByHand = {
    ...{ agent: agent.id, ...target },
    result: await checkedResult(run, agent, result, store),
    reason: options.reason ?? null,
    actor: caller.actor(),
  };
  await store.audit(id, "set", given.actor);
  const about = { id, agent: agent.id, state: target.state };
  const reacted = (now: RunState) => hasLeft(now, given) || isPending(now, run, given);
  for (;;) {
    const reaction = await request(store, id, [{ set: given }], { reacted });
    if (reaction !== null) {
      const { pid } = reaction.holder;
      if (!reaction.reacted) {
        return { ...about, outcome: "no-reaction", pid, next: `${program} status ${id}` };
      }
      requireSet(await loadNamed(store, id), run, given);
      return { ...about, outcome: "received", pid };
    }
    if (await isStored(store, run, given, caller)) break;
  }
  if (await isRequeued(store, run, given)) return { ...about, outcome: "queued" };
  return { ...about, outcome: "kept", next: resumeAdvice(run, program) ?? "" };
}

/** Throws a RaymondError if the agent cannot get a result. */
function settableAgent(run: RunState, wanted: AgentId): Agent {
  if (run.status === "completed") throw setErrors["run/set-completed"](run.id);
  const agent = run.agents.find(({ id }) => id === wanted);
  if (agent === undefined) {
    if (wanted in run.results) throw setErrors["run/set-ended"](run.id, wanted);
    const known = [...run.agents.map(({ id }) => id), ...Object.keys(run.results)];
    throw inspectErrors["run/unknown-agent"](run.id, wanted, known);
  }
  if (pendingQuestionOf(agent) !== null) throw setErrors["run/set-asking"](run.id, wanted);
  if (agent.opened !== null) throw setErrors["run/set-opened"](run.id, wanted);
  return agent;
}

function validResult(text: string): string {
  const result = trimPayload(text);
  if (result.includes("\0")) throw setErrors["run/set-invalid"]("contains a NUL character");
  if (result.length > MAX_PAYLOAD_CHARS) throw setErrors["run/set-invalid"]("exceeds 16 MiB");
  return result;
}

function hasLeft({ agents }: RunState, given: ResultByHand): boolean {
  const agent = agents.find(({ id }) => id === given.agent);
  return agent === undefined || !isAtStep(agent, given);
}

/** Whether the result is saved, and the step is about to end. */
function isPending(now: RunState, before: RunState, given: ResultByHand): boolean {
  const agent = now.agents.find(({ id }) => id === given.agent);
  return now.resultsSet > before.resultsSet && agent?.setResult === given.result;
}

/** Throws `run/set-late` if the agent continued on its own. */
function requireSet(now: RunState, before: RunState, given: ResultByHand): void {
  if (now.resultsSet > before.resultsSet) return;
  const agent = now.agents.find(({ id }) => id === given.agent);
  throw setErrors["run/set-late"](
    now.id,
    given.agent,
    agent === undefined ? null : targetOf(agent),
  );
}

/** Saves the result with a run that no process drives. False if another process has locked it by now. */
async function isStored(
  store: RunSource,
  run: RunState,
  given: ResultByHand,
  caller: Caller,
): Promise<boolean> {
  const input = { type: "result-set", ...given } as const;
  try {
    const events = await recordInput(store, run.id, input, caller.now());
    const now = await loadNamed(store, run.id);
    requireSet(now, run, given);
    // The saved state has counted them.
    await logEvents(store, { ...now, seq: now.seq - events.length }, events, caller);
    return true;
  } catch (error) {
    if (error instanceof RunLockedError) return false;
    throw error;
  }
}

/** Queues a run that stopped because of this agent. */
async function isRequeued(
  { queue }: RunSource,
  { id, stopReason }: RunState,
  { agent }: ResultByHand,
): Promise<boolean> {
  if ((await queue.expected()).has(id)) return true;
  if (stopReason?.agent !== agent) return false;
  return queue.requeue(id).catch((error: unknown) => {
    // The result is stored in any case.
    if (error instanceof RaymondError) return false;
    throw error;
  });
}
