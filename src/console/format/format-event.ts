import { isSimulated } from "../../engine/ports/backend.ts";
import { counted } from "../../language/basics/counted.ts";
import { formatDuration } from "../../language/basics/duration.ts";
import { formatUsd } from "../../language/basics/money.ts";
import type { FailureEvidence } from "../../log/failure-evidence.ts";
import { cut } from "../../log/printable.ts";
import { MAX_MESSAGE, truncate } from "../../log/truncate.ts";
import type { Actor } from "../../machine/model/actor.ts";
import type { AgentId } from "../../machine/model/agent.ts";
import type { Event, EventType } from "../../machine/model/event.ts";
import { signalOf } from "../../machine/model/run-state.ts";
import { formatAnswer } from "../../machine/moves/question.ts";
import { block, collapsed, type Line, line } from "../line.ts";
import { localTime } from "../local-time.ts";
import { isFailure } from "../summary.ts";
import {
  classWords,
  controlWords,
  deliveryWords,
  divertWords,
  statusWords,
  waitWords,
} from "./event-words.ts";
import { firstLine, head } from "./first-line.ts";
import { byActor } from "./format-actor.ts";
import { cost, formatStepEnd } from "./format-step-end.ts";
import { formatTransition } from "./format-transition.ts";
import { formatWait } from "./format-wait.ts";

type Formatters = {
  readonly [T in EventType]: (event: Extract<Event, { type: T }>) => Line | readonly Line[];
};

/** An event as lines for people, without color and control characters. A new event type does not compile without one. */
export function formatEvent(event: Event): readonly Line[] {
  const format = formatters[event.type] as (event: Event) => Line | readonly Line[];
  return [format(event)].flat();
}

/** The block of a failure: reason, file, last message, debug file, hint. */
export function formatFailure(
  { agent, state, class: kind, problem, hint: advice }: Extract<Event, { type: "agent.failed" }>,
  evidence: FailureEvidence | null,
): readonly Line[] {
  const why = kind === "deterministic" ? "" : ` (${classWords[kind]})`;
  // Some reasons start with the name of the state.
  const isNamed = [`${state} `, `The script ${state} `].some((begin) => problem.startsWith(begin));
  const place = isNamed ? "" : ` at ${state}`;
  const { file = null, lastMessage = null, lastOutput = null, debugFile = null } = evidence ?? {};
  const facts = [
    // Some reasons contain the file, with its line.
    ...(file === null || problem.includes(file) ? [] : [`file: ${file}`]),
    ...(lastMessage === null ? [] : [`last message: ${cut(lastMessage, MAX_CHARS)}`]),
    ...outputFacts(lastOutput),
    ...(debugFile === null ? [] : [`debug file: ${debugFile}`]),
  ];
  return [
    ...block(agent, "error", `! failed${place}${why}: ${problem}`),
    ...facts.map((text) => line(agent, "plain", `  ${text}`, { from: "quiet" })),
    ...hint(agent, advice),
  ];
}

function outputFacts(output: readonly string[] | null): readonly string[] {
  if (output === null) return [];
  if (output.length === 0) return ["output: none"];
  return ["output:", ...output.map((text) => `  ${cut(text, MAX_CHARS)}`)];
}

/**
 * A question, up to {@link MAX_MESSAGE}. `isOpen`: it has no answer yet. `command`: the command that answers it; null
 * to leave it out.
 */
export function formatQuestion(
  { agent, question, options, until }: Extract<Event, { type: "agent.asked" }>,
  { isOpen, command }: { readonly isOpen: boolean; readonly command: string | null },
): readonly Line[] {
  const choices = options === null ? "" : ` (${options.join(" | ")})`;
  const how = until === null ? "answer with" : `until ${localTime(until)} answer with`;
  return [
    ...block(agent, "accent", `? ${truncate(question.trim(), MAX_MESSAGE)}${choices}`, {
      from: isOpen ? "quiet" : "normal",
    }),
    ...(command === null ? [] : [line(agent, "plain", `  ${how}: ${command}`, { from: "quiet" })]),
  ];
}

/** The wait, and its coding agent if that is not the default agent of the run. */
function waitName({
  class: kind,
  backend,
}: Pick<Extract<Event, { type: "run.woke" }>, "class" | "backend">): string {
  return backend === undefined ? waitWords[kind] : `${waitWords[kind]} of ${backend}`;
}

function byBackend({ backend, insteadOf }: Extract<Event, { type: "step.started" }>): string {
  if (backend === undefined) return "";
  return insteadOf === undefined
    ? `, with ${backend}`
    : `, with ${backend} instead of ${insteadOf}`;
}

/** Characters of a last message, or of a line of output. */
const MAX_CHARS = 200;

const formatters: Formatters = {
  "run.started": (e) => [
    line(null, "header", `run ${e.run}: ${e.workflow} from ${e.state}`),
    ...by("started", e.actor),
    ...simulated(e.backend),
  ],
  "run.resumed": (e) => [
    line(null, "header", `run ${e.run} resumed with ${counted(e.agents, "agent")}`),
    ...by("resumed", e.actor),
    ...(e.changed ?? []).map((text) => line(null, "plain", `setting ${text}`)),
    ...simulated(e.backend),
  ],
  "run.controlled": (e) =>
    line(
      null,
      "plain",
      `${controlWords[e.action]}${e.target === null ? "" : ` (${e.target})`}${byActor(e.actor)}`,
    ),
  "run.rerun": (e) =>
    line(
      null,
      "header",
      `rerun of ${e.of} from step ${String(e.step)}, with ${counted(e.agents, "agent")}; ${e.of} had spent ${formatUsd(e.costMicroUsd)} before it`,
    ),
  "run.taken-over": (e) =>
    block(
      null,
      "warning",
      `run ${e.run} was locked by process ${String(e.pid)} on ${e.host} (last sign of life: ${e.lastSeenAt}) and is taken over${byActor(e.actor)}. If that process is alive, it loses the run at its next save. Until then its steps run in parallel with this run's steps.`,
      { from: "quiet" },
    ),
  "run.stopping": (e) => {
    // With nothing in flight, the end follows immediately with the reason. A failure was already reported.
    if (isFailure(e.reason)) return e.inFlight.length === 0 ? [] : waits(e, "! stopping:");
    // A signal was already acknowledged.
    const from = e.inFlight.length === 0 || signalOf(e.reason) !== null ? "verbose" : "quiet";
    return block(null, "warning", `! stopping: ${e.reason.message}`, { from }).concat(
      waits(e, " "),
    );
  },
  "run.ended": (e) =>
    line(
      null,
      e.status === "completed" ? "good" : "error",
      `${statusWords[e.status]}: ${cost(e.costMicroUsd, e.estimatedMicroUsd)}, ${counted(e.steps, "step")}`,
      { from: "quiet" },
    ),
  "run.waiting": (e) =>
    block(
      null,
      "warning",
      `! waiting ${formatDuration(e.leftMs)}, until ${localTime(e.until)} (${waitName(e)}): ${e.message}`,
      // A wait this short is over before the line is read.
      { from: e.leftMs < 1_000 ? "verbose" : "quiet" },
    ),
  "run.still-waiting": (e) =>
    line(
      null,
      "plain",
      `still waiting: ${formatDuration(e.leftMs)} left, until ${localTime(e.until)} (${waitName(e)})`,
    ),
  "run.woke": (e) => [line(null, "plain", `continuing after the ${waitName(e)}`)],
  "run.warning": (e) => [...block(null, "warning", `! ${e.message}`), ...hint(null, e.hint)],

  "step.started": (e) => [
    line(
      e.agent,
      "header",
      `${e.state}${deliveryWords[e.delivery]}${again(e.attempt)}${byBackend(e)}`,
    ),
    line(
      e.agent,
      "dim",
      `process ${String(e.process)}${e.session === null ? "" : `, ${e.session} session`}`,
      { from: "verbose" },
    ),
  ],
  "step.message": (e) => collapsed(e.agent, truncate(e.text, MAX_MESSAGE)),
  "step.output": (e) =>
    e.text
      .split(/\r?\n/)
      .map((text) => line(e.agent, "dim", `${e.stream}  ${text}`, { from: "verbose" })),
  "step.tool": (e) =>
    line(e.agent, "dim", e.argument === "" ? e.tool : `${e.tool}  ${e.argument}`, { cut: true }),
  "step.notice": (e) =>
    line(e.agent, "dim", e.text, { cut: true, from: e.minor === true ? "verbose" : "normal" }),
  "step.ended": formatStepEnd,

  "agent.moved": (e) =>
    line(
      e.agent,
      "accent",
      `→ ${formatTransition(e.transition, e.to)}${e.implied ? " (the only transition)" : ""}${e.dropped === 0 ? "" : `, ${counted(e.dropped, "caller")} dropped`}`,
      {
        cut: true,
        hidden: e.transition.tag === "result" ? head(e.transition.payload).hidden : 0,
      },
    ),
  "agent.reminded": (e) =>
    block(e.agent, "warning", `! reminder ${String(e.reminder)}: ${e.problem}`),
  "agent.sent-back": (e) =>
    block(e.agent, "warning", `! returned by its gate (attempt ${String(e.times)}): ${e.problem}`),
  "agent.retrying": (e) =>
    block(
      e.agent,
      "warning",
      `! ${classWords[e.class]}, retry ${String(e.retry)} in ${formatDuration(e.delayMs)}: ${e.problem}`,
    ),
  "agent.waiting": (e) => [
    line(e.agent, "dim", formatWait(e.wait), {
      // The run reports a usage limit once for all agents.
      from: e.wait.kind === "limit" || e.wait.kind === "probe" ? "verbose" : "normal",
    }),
  ],
  "agent.continued": (e) => [
    line(e.agent, "plain", "will continue where it was cut off"),
    // Only of use when debugging the prompt.
    ...block(e.agent, "dim", `  ${e.problem}`, { from: "verbose" }),
  ],
  "agent.diverted": (e) =>
    e.by === "on_context"
      ? block(e.agent, "plain", `on_context leads to ${e.to}: ${e.problem}`)
      : block(
          e.agent,
          "warning",
          `! ${e.from} ${divertWords[e.by]} leads to ${e.to}: ${e.problem}`,
        ),
  "budget.near": (e) =>
    line(
      null,
      "warning",
      `! ${formatUsd(e.spentMicroUsd)} of the budget of ${formatUsd(e.budgetMicroUsd)} is spent`,
    ),
  "agent.forked": (e) =>
    line(
      e.agent,
      "accent",
      `+ ${e.worker} at ${e.state}${data(e.attributes)}${e.branch === undefined ? "" : `, on branch ${e.branch}`}`,
      { cut: true },
    ),
  "agent.joined": (e) =>
    line(
      e.agent,
      e.late ? "warning" : "accent",
      `${e.late ? "! some workers have not ended in time: " : ""}→ ${e.state}, with ${counted(e.ended, "worker")}${e.living === 0 ? "" : ` (${String(e.living)} still running)`}`,
    ),
  "agent.asked": (e) => formatQuestion(e, { isOpen: true, command: null }),
  "agent.answered": (e) =>
    block(e.agent, "accent", `→ ${e.state}, answered${byActor(e.by)}: ${formatAnswer(e.answer)}`),
  "agent.result-set": (e) => [
    ...block(
      e.agent,
      "accent",
      `result of ${e.state} set${byActor(e.actor)}: ${formatAnswer(e.result)}`,
    ),
    ...(e.reason === null ? [] : block(e.agent, "plain", `  reason: ${formatAnswer(e.reason)}`)),
  ],
  "agent.unanswered": (e) => block(e.agent, "warning", `! no answer in time: → ${e.state}`),
  "agent.opened": (e) =>
    line(e.agent, "accent", `conversation opened in a manual session: paused before ${e.state}`),
  "agent.handed-back": (e) =>
    line(
      e.agent,
      "accent",
      e.session === null
        ? "manual session ended: no messages"
        : `manual session ended, the conversation continues from it: ${manualCost(e)}`,
    ),
  "agent.ended": (e) => {
    if (e.result === null)
      return [line(e.agent, "plain", "= ended, failure reported to its parent")];
    const { first, hidden } = head(e.result);
    const text = first === "" ? "= ended without a result" : `= result: ${first}`;
    return [line(e.agent, "good", text, { cut: true, hidden })];
  },
  "agent.failed": (e) => formatFailure(e, null),
};

export function manualCost({
  costMicroUsd,
  estimatedMicroUsd,
}: Pick<
  Extract<Event, { type: "agent.handed-back" }>,
  "costMicroUsd" | "estimatedMicroUsd"
>): string {
  const estimated = `about ${formatUsd(estimatedMicroUsd)} (estimated from its tokens)`;
  if (estimatedMicroUsd === 0) return formatUsd(costMicroUsd);
  return costMicroUsd === 0 ? estimated : `${formatUsd(costMicroUsd)} and ${estimated}`;
}

/** The agents that a stopping run still waits for. After Ctrl-C they were already reported. */
function waits(
  { reason, inFlight }: Extract<Event, { type: "run.stopping" }>,
  begin: string,
): readonly Line[] {
  if (inFlight.length === 0 || reason.class === "interrupted") return [];
  const steps = `the ${inFlight.length === 1 ? "step" : "steps"} of ${some(inFlight)}`;
  return [line(null, "warning", `${begin} waiting for ${steps}; press Ctrl-C to stop them`)];
}

function by(what: string, actor: Actor | undefined): readonly Line[] {
  if (actor === undefined) return [];
  return [line(null, "dim", `${what}${byActor(actor)}`, { from: "verbose" })];
}

function data(attributes: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}=${firstLine(value)}`);
  return pairs.length === 0 ? "" : ` (${pairs.join(", ")})`;
}

function simulated(backend: string): readonly Line[] {
  if (!isSimulated(backend)) return [];
  return [
    line(null, "warning", "! simulated: no model calls, made-up costs", {
      from: "normal",
    }),
  ];
}

function hint(agent: AgentId | null, text: string | null): readonly Line[] {
  return text === null ? [] : block(agent, "dim", `  hint: ${text}`, { from: "quiet" });
}

function again(attempt: number): string {
  return attempt > 1 ? `, attempt ${String(attempt)}` : "";
}

function some(agents: readonly AgentId[]): string {
  const shown = agents.slice(0, 6).join(", ");
  return agents.length > 6 ? `${shown} and ${String(agents.length - 6)} more` : shown;
}
