import {
  type Backend,
  type FailedCall,
  type Invocation,
  type Reply,
  SIMULATION,
} from "../../engine/ports/backend.ts";
import type { Cancellation } from "../../engine/ports/cancellation.ts";
import { counted } from "../../language/basics/counted.ts";
import { formatDuration } from "../../language/basics/duration.ts";
import type { MicroUsd } from "../../language/basics/money.ts";
import { nearest } from "../../language/basics/nearest.ts";
import { placeText } from "../../language/basics/place.ts";
import { renderTemplate } from "../../language/workflow/template.ts";
import { ALL_CAPABILITIES } from "../../machine/backends/backend-facts.ts";
import { type FailureClass, failure } from "../../machine/model/failure.ts";
import { NO_SPEND, type SpendReport } from "../../machine/model/spend.ts";
import type { ScriptedReply, Simulation } from "./scenario.ts";
import { replyAt, replyCount } from "./script.ts";

/**
 * A backend whose replies are in a file: `--simulate`. Each call gets the reply at its index in its state. The run stores
 * the index, so this backend has no state. A call without a reply fails permanently with the place where to add one.
 * `sleep` must end early when its signal aborts.
 */
export function simulatedBackend(
  simulation: Simulation,
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
  elapsed: () => number = () => Math.round(performance.now()),
): Backend {
  return scriptedBackend(simulation.file, (call) => findReply(simulation, call), sleep, elapsed);
}

/** The message and hint for a call without a reply. */
export interface MissingReply {
  readonly missing: string;
  readonly hint: string;
}

/** A backend whose replies `find` returns. `file`: where they are stored. */
export function scriptedBackend(
  file: string,
  find: (call: Invocation) => ScriptedReply | MissingReply,
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
  elapsed: () => number,
): Backend {
  return {
    name: SIMULATION,
    // Also containers: it starts no processes.
    can: ALL_CAPABILITIES,
    recover: () => Promise.resolve(null),
    async invoke(call, cancellation, listener, recorder) {
      const scripted = find(call);
      recorder.meta({ simulated: true, simulation: file, reply: call.number });
      // Nothing ran, so there is no exit code.
      if ("missing" in scripted)
        return failedCall("deterministic", scripted.missing, scripted.hint);

      const accepted = scripted.kind === "reply" || scripted.class === "crash";
      if (accepted) listener.accepted();
      const cut = await pass(scripted.delayMs, call, cancellation, sleep, elapsed);
      const reply = cut ?? answer(scripted, call);
      if (reply.kind === "reply" && reply.text !== null) {
        listener.message(reply.text);
      }
      recorder.line(streamLine(reply, call));
      return accepted && reply.kind === "failure" ? { ...reply, session: call.session.id } : reply;
    },
  };
}

function findReply({ file, states }: Simulation, call: Invocation): ScriptedReply | MissingReply {
  const name = call.state.normalize("NFC");
  const state = states.get(name);
  if (state === undefined) {
    const near = nearest(name, [...states.keys()]);
    return {
      missing: `The simulation has no replies for ${call.state}.`,
      hint: `Add "${call.state}:" with a list of replies below "states:" in ${file}.${
        near === null ? "" : ` (It has replies for ${near}.)`
      }`,
    };
  }
  const reply = replyAt(state, call.number);
  if (reply !== null) return reply;
  const count = replyCount(state);
  return {
    missing: `The simulation has ${counted(count, "reply", "replies")} for ${call.state}, and this was call number ${String(call.number + 1)}.`,
    hint: `Add one to the list at ${placeText(file, state)}, or let the last one repeat with "times: always".`,
  };
}

/** Waits for the delay of a reply. Returns the failure that ended the wait early, or null. */
async function pass(
  delayMs: number,
  call: Invocation,
  { interrupt, kill }: Cancellation,
  sleep: (ms: number, signal: AbortSignal) => Promise<void>,
  elapsed: () => number,
): Promise<FailedCall | null> {
  const { deadline } = call;
  const left = deadline === null ? Infinity : Math.max(0, deadline.at - elapsed());
  const patience = call.timeoutMs === 0 ? Infinity : call.timeoutMs;
  const cancelled = AbortSignal.any([interrupt, kill]);
  const waited = Math.min(delayMs, left, patience);
  if (waited > 0 && !cancelled.aborted) await sleep(waited, cancelled);
  if (cancelled.aborted) return failedCall("cancelled", `${call.state} was interrupted.`);
  if (waited === delayMs) return null;
  return deadline !== null && left <= patience
    ? failedCall(
        "deterministic",
        `${call.state} did not end within its timeout of ${formatDuration(deadline.limitMs)} and was stopped.`,
        "Raise the timeout in its front matter, or shorten the delay of this reply.",
      )
    : failedCall(
        "crash",
        `The simulated client was silent for ${formatDuration(patience)}.`,
        "Raise --timeout, or shorten the delay of this reply.",
      );
}

function answer(scripted: ScriptedReply, call: Invocation): Reply {
  if (scripted.kind === "failure") {
    const message = scripted.message ?? `The simulation lets this call fail: ${scripted.class}.`;
    const spend = spending(call, "", scripted.costMicroUsd);
    return { ...failedCall(scripted.class, message), spend, exitCode: 1 };
  }
  const { prompt: text } = renderTemplate(scripted.text, call.variables);
  if (call.session.id === null) throw new Error("The call has no session id");
  return {
    kind: "reply",
    text: text.trim() === "" ? null : text,
    session: call.session.id,
    capped: scripted.capped,
    denials: scripted.denials,
    spend: {
      ...spending(call, text, scripted.costMicroUsd),
      context: scripted.context === null ? null : { tokens: scripted.context, window: WINDOW },
    },
    exitCode: scripted.capped ? 1 : 0,
  };
}

/** Context size of the simulated model, tokens. */
const WINDOW = 200_000;

function failedCall(kind: FailureClass, message: string, hint: string | null = null): FailedCall {
  return {
    kind: "failure",
    ...failure(kind, message, hint),
    session: null,
    spend: { ...NO_SPEND, costMicroUsd: 0 },
    exitCode: null,
  };
}

/** Tokens are estimated: four characters each. */
function spending(call: Invocation, text: string, costMicroUsd: MicroUsd | null): SpendReport {
  const tokens = (characters: number): number => Math.ceil(characters / 4);
  return {
    ...NO_SPEND,
    model: call.model,
    costMicroUsd: costMicroUsd ?? 0,
    tokens: {
      input: tokens(call.prompt.length),
      output: tokens(text.length),
      cacheRead: 0,
      cacheWrite: 0,
    },
  };
}

/** The line of a simulated call in the debug files. */
function streamLine(reply: Reply, call: Invocation): string {
  const said = reply.kind === "reply" ? { result: reply.text } : { error: reply.message };
  const kind = reply.kind === "reply" ? "reply" : reply.class;
  return JSON.stringify({
    type: "simulated",
    state: call.state,
    number: call.number,
    kind,
    ...said,
  });
}
