import { isDeepStrictEqual } from "node:util";
import { nameOfStep, type Step } from "../../src/machine/decide/step.ts";
import { runningOf } from "../../src/machine/model/activity.ts";
import type { RunState } from "../../src/machine/model/run-state.ts";
import type { Conversations } from "./conversations.ts";
import type { Oracle } from "./oracle.ts";
import { GATE, PROMPT_TOKENS } from "./program.ts";
import { workflowOf } from "./reference-names.ts";

/** What a step is given must be what is saved, and what the reference would give it. */
export function inspectStep(
  step: Step,
  saved: RunState | null,
  oracle: Oracle,
  conversations: Conversations,
): void {
  const { agent, process, session, file } = step;
  const on = saved?.agents.find(({ id }) => id === agent.id);
  const want = oracle.moment(agent.id);
  const name = `${agent.id}#${String(want.n)} (${String(process)})`;
  const flies = on !== undefined && runningOf(on)?.process === process;
  oracle.hold(flies, () => `${name} is not saved as in flight`);
  oracle.hold(isDeepStrictEqual(on?.session, session), () => `${name}: its session is not saved`);
  const due = step.gated === null ? want.state : `${workflowOf(want.state)}${GATE}`;
  const is = nameOfStep(step);
  oracle.hold(is === due, () => `${name} is in ${is}, not in ${due}`);
  oracle.hold(step.cwd === want.cwd, () => `${name} works in ${step.cwd}, not in ${want.cwd}`);
  oracle.hold(
    step.gated !== null || agent.pendingResult === want.pending,
    () => `${name} has a wrong pending result`,
  );
  oracle.hold(
    isDeepStrictEqual({ ...agent.attributes }, { ...want.attributes }),
    () => `${name} has wrong attributes`,
  );
  if (file.kind === "script") return;
  inspectAgent(step, saved, want.state, oracle, conversations);
  if (oracle.forgetful.has(agent.id)) return;

  const tokens = want.session.history.length * PROMPT_TOKENS;
  const isNew = agent.delivery === "prompt" && want.wanted === null;
  oracle.hold(
    !isNew || tokens <= oracle.most(want.state),
    () => `${name} begins with ${String(tokens)} tokens`,
  );
  const entry = `${agent.id}#${String(want.n)}`;
  const { mode, history } = want.session;
  const own = conversations.history(session);
  const seen = own?.at(-1) === entry ? own.slice(0, -1) : own;
  oracle.hold(
    isDeepStrictEqual(seen, history),
    () => `${name} sees ${JSON.stringify(own)} (${session.mode}), not ${JSON.stringify(history)}`,
  );
  const note = session.mode === "resume" && agent.delivery !== "prompt";
  oracle.hold(
    !note || own?.at(-1) === entry,
    () => `${name} gets a note (${agent.delivery}) in a conversation without its prompt`,
  );
  // Another coding agent starts a state again, but only if it was entered without a conversation.
  const falls =
    mode === "fresh" && conversations.isOfAnother(oracle.held.get(agent.id), step.backend.name);
  if (falls) oracle.held.delete(agent.id);
  const held = oracle.held.get(agent.id);
  oracle.hold(
    held === undefined || (note && session.id === held),
    () => `${name} does not continue in ${String(held)}, which holds its prompt`,
  );
  oracle.hold(
    step.attempt > 1 || session.mode === mode,
    () => `${name} is ${session.mode}, not ${mode}`,
  );
  oracle.hold(
    conversations.give(session),
    () => `${name}: ${session.id ?? "no id"} was given before`,
  );
}

/** A conversation is continued by its coding agent only; a new one is started by one of the state. */
function inspectAgent(
  { agent, session, backend, gated }: Step,
  saved: RunState | null,
  state: string,
  oracle: Oracle,
  conversations: Conversations,
): void {
  if (saved?.backend === "simulation" || gated !== null) return;
  const owner = conversations.ownerOf(session);
  const candidates = oracle.program.states.find(({ name }) => name === state)?.agents;
  const may = owner === undefined ? (candidates ?? ["claude"]) : [owner];
  oracle.hold(
    session.mode !== "fresh" && owner === undefined ? true : may.includes(backend.name),
    () => `${agent.id} in ${state} is run by ${backend.name}, not by ${may.join(" or ")}`,
  );
}
