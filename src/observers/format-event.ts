import { counted } from "../core/counted.ts";
import { formatDuration } from "../core/duration.ts";
import type { AgentId } from "../core/machine/agent.ts";
import type { Answerer } from "../core/machine/answer.ts";
import type { Event, EventType } from "../core/machine/event.ts";
import { shownAnswer } from "../core/machine/question.ts";
import { signalOf } from "../core/machine/run-state.ts";
import { formatUsd } from "../core/money.ts";
import { isSimulated } from "../ports/backend.ts";
import { bounded, MAX_MESSAGE } from "./bounded.ts";
import { classWords, deliveryWords, divertWords, statusWords, waitWords } from "./event-words.ts";
import type { Evidence } from "./evidence.ts";
import { firstLine, head } from "./first-line.ts";
import { cost, formatStepEnd } from "./format-step-end.ts";
import { formatTransition } from "./format-transition.ts";
import { formatWait } from "./format-wait.ts";
import { block, folded, type Line, line } from "./line.ts";
import { localTime } from "./local-time.ts";
import { cut } from "./printable.ts";
import { isFailure } from "./summary.ts";

type Formatters = {
  readonly [T in EventType]: (event: Extract<Event, { type: T }>) => readonly Line[];
};

/**
 * One event as lines of text for people, without colour and without control
 * characters. A new event does not compile until it has a line here.
 */
export function formatEvent(event: Event): readonly Line[] {
  const format = formatters[event.type] as (event: Event) => readonly Line[];
  return format(event);
}

/** The one block that tells of a failure: reason, file, what was said, where to look, what to do. */
export function formatFailure(
  { agent, state, class: kind, problem, hint: way }: Extract<Event, { type: "agent.failed" }>,
  evidence: Evidence | null,
): readonly Line[] {
  const why = kind === "deterministic" ? "" : ` (${classWords[kind]})`;
  // A reason that begins with the state has said where it was.
  const isNamed = [`${state} `, `The script ${state} `].some((begin) => problem.startsWith(begin));
  const place = isNamed ? "" : ` at ${state}`;
  const { file = null, said = null, printed = null, debug = null } = evidence ?? {};
  const facts = [
    // A reason that names the file, with its line perhaps, has said where to look.
    ...(file === null || problem.includes(file) ? [] : [`file: ${file}`]),
    ...(said === null ? [] : [`last said: ${cut(said, MAX_SAID)}`]),
    ...printedFacts(printed),
    ...(debug === null ? [] : [`debug file: ${debug}`]),
  ];
  return [
    ...block(agent, "error", `! failed${place}${why}: ${problem}`),
    ...facts.map((text) => line(agent, "plain", `  ${text}`, { from: "quiet" })),
    ...hint(agent, way),
  ];
}

function printedFacts(printed: readonly string[] | null): readonly string[] {
  if (printed === null) return [];
  if (printed.length === 0) return ["printed: nothing"];
  return ["printed:", ...printed.map((text) => `  ${cut(text, MAX_SAID)}`)];
}

/**
 * A question, whole as far as anybody reads so much. `isOpen`: it has not got its answer in the same moment;
 * `command`: how it is answered, where that is worth a line.
 */
export function formatQuestion(
  { agent, question, options, until }: Extract<Event, { type: "agent.asked" }>,
  { isOpen, command }: { readonly isOpen: boolean; readonly command: string | null },
): readonly Line[] {
  const choices = options === null ? "" : ` (${options.join(" | ")})`;
  const how = until === null ? "answer with" : `until ${localTime(until)} answer with`;
  return [
    ...block(agent, "accent", `? ${bounded(question.trim(), MAX_MESSAGE)}${choices}`, {
      from: isOpen ? "quiet" : "normal",
    }),
    ...(command === null ? [] : [line(agent, "plain", `  ${how}: ${command}`, { from: "quiet" })]),
  ];
}

/** Characters of the last words of a model. */
const MAX_SAID = 200;

const formatters: Formatters = {
  "run.started": (e) => [
    line(null, "header", `run ${e.run}: ${e.workflow} from ${e.state}`),
    ...simulated(e.backend),
  ],
  "run.resumed": (e) => [
    line(null, "header", `run ${e.run} goes on with ${counted(e.agents, "agent")}`),
    ...simulated(e.backend),
  ],
  "run.rerun": (e) => [
    line(
      null,
      "header",
      `from where ${e.of} stood before step ${String(e.step)}, with ${counted(e.agents, "agent")} and ${formatUsd(e.costMicroUsd)} spent there`,
    ),
  ],
  "run.taken-over": (e) =>
    block(
      null,
      "warning",
      `run ${e.run} was held by process ${String(e.pid)} on ${e.host}, which was last heard at ${e.heardAt}: it is taken for dead, as you say. If it lives, it loses the run at its next save; what its steps do until then, they do beside this one.`,
      { from: "quiet" },
    ),
  "run.stopping": (e) => {
    // With nothing in flight the end follows at once, and gives the reason. A failure has been told.
    if (isFailure(e.reason)) return e.inFlight.length === 0 ? [] : waits(e, "! stopping:");
    // Who has sent a signal has been answered already.
    const from = e.inFlight.length === 0 || signalOf(e.reason) !== null ? "verbose" : "quiet";
    return block(null, "warning", `! stopping: ${e.reason.message}`, { from }).concat(
      waits(e, " "),
    );
  },
  "run.ended": (e) => [
    line(
      null,
      e.status === "completed" ? "good" : "error",
      `${statusWords[e.status]}: ${cost(e.costMicroUsd, e.estimatedMicroUsd)}, ${counted(e.steps, "step")}`,
      { from: "quiet" },
    ),
  ],
  "run.waiting": (e) =>
    block(
      null,
      "warning",
      `! waiting ${formatDuration(e.leftMs)}, until ${localTime(e.until)} (${waitWords[e.class]}): ${e.message}`,
      // Of a wait that is over before it is read, the line that says so is enough.
      { from: e.leftMs < 1_000 ? "verbose" : "quiet" },
    ),
  "run.still-waiting": (e) => [
    line(
      null,
      "plain",
      `still waiting: ${formatDuration(e.leftMs)} left, until ${localTime(e.until)} (${waitWords[e.class]})`,
    ),
  ],
  "run.woke": (e) => [line(null, "plain", `going on after the ${waitWords[e.class]}`)],
  "run.warning": (e) => [...block(null, "warning", `! ${e.message}`), ...hint(null, e.hint)],

  "step.started": (e) => [
    line(e.agent, "header", `${e.state}${deliveryWords[e.delivery]}${again(e.attempt)}`),
    line(
      e.agent,
      "dim",
      `process ${String(e.process)}${e.session === null ? "" : `, ${e.session} session`}`,
      { from: "verbose" },
    ),
  ],
  "step.message": (e) => folded(e.agent, bounded(e.text, MAX_MESSAGE)),
  "step.output": (e) =>
    e.text
      .split(/\r?\n/)
      .map((text) => line(e.agent, "dim", `${e.stream}  ${text}`, { from: "verbose" })),
  "step.tool": (e) => [
    line(e.agent, "dim", e.argument === "" ? e.tool : `${e.tool}  ${e.argument}`, { cut: true }),
  ],
  "step.notice": (e) => [line(e.agent, "dim", e.text, { cut: true })],
  "step.ended": formatStepEnd,

  "agent.moved": (e) => [
    line(
      e.agent,
      "accent",
      `→ ${formatTransition(e.transition, e.to)}${e.implied ? " (the only way on)" : ""}${e.dropped === 0 ? "" : `, ${counted(e.dropped, "caller")} forgotten`}`,
      {
        cut: true,
        hidden: e.transition.tag === "result" ? head(e.transition.payload).hidden : 0,
      },
    ),
  ],
  "agent.reminded": (e) =>
    block(e.agent, "warning", `! reminder ${String(e.reminder)}: ${e.problem}`),
  "agent.sent-back": (e) =>
    block(e.agent, "warning", `! sent back, time ${String(e.times)}: ${e.problem}`),
  "agent.retrying": (e) =>
    block(
      e.agent,
      "warning",
      `! ${classWords[e.class]}, retry ${String(e.retry)} in ${formatDuration(e.delayMs)}: ${e.problem}`,
    ),
  "agent.waiting": (e) => [
    line(e.agent, "dim", formatWait(e.wait), {
      // Of a usage limit the run has said so for all.
      from: e.wait.kind === "limit" || e.wait.kind === "probe" ? "verbose" : "normal",
    }),
  ],
  "agent.continued": (e) => [
    line(e.agent, "plain", "will go on where it was cut off"),
    // Why what it said is no answer matters only to who looks for a fault of the prompt.
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
  "budget.near": (e) => [
    line(
      null,
      "warning",
      `! ${formatUsd(e.spentMicroUsd)} of the budget of ${formatUsd(e.budgetMicroUsd)} is spent`,
    ),
  ],
  "agent.forked": (e) => [
    line(e.agent, "accent", `+ ${e.worker} at ${e.state}${data(e.attributes)}`, { cut: true }),
  ],
  "agent.joined": (e) => [
    line(
      e.agent,
      e.late ? "warning" : "accent",
      `${e.late ? "! not all have ended in time: " : ""}→ ${e.state}, with ${counted(e.ended, "worker")}${e.living === 0 ? "" : ` (${String(e.living)} live on)`}`,
    ),
  ],
  "agent.asked": (e) => formatQuestion(e, { isOpen: true, command: null }),
  "agent.answered": (e) =>
    block(e.agent, "accent", `→ ${e.state}, answered${byWhom(e.by)}: ${shownAnswer(e.answer)}`),
  "agent.unanswered": (e) =>
    block(e.agent, "warning", `! nobody has answered in time: → ${e.state}`),
  "agent.opened": (e) => [
    line(e.agent, "accent", `its conversation is opened by hand: it waits before ${e.state}`),
  ],
  "agent.handed-back": (e) => [
    line(
      e.agent,
      "accent",
      e.session === null
        ? "handed back: nothing was said by hand"
        : `handed back, and goes on from what was said by hand: ${costByHand(e)}`,
    ),
  ],
  "agent.ended": (e) => {
    if (e.result === null) return [line(e.agent, "plain", "= ended, and its failure is reported")];
    const { first, hidden } = head(e.result);
    const text = first === "" ? "= ended without a result" : `= result: ${first}`;
    return [line(e.agent, "good", text, { cut: true, hidden })];
  },
  "agent.failed": (e) => formatFailure(e, null),
};

/** What a person has spent in a conversation, as far as its client tells. */
export function costByHand({
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

/** Whom a run that stops still waits for; after a Ctrl-C that has been said. */
function waits(
  { reason, inFlight }: Extract<Event, { type: "run.stopping" }>,
  begin: string,
): readonly Line[] {
  if (inFlight.length === 0 || reason.class === "interrupted") return [];
  const still = `${some(inFlight)} still ${inFlight.length === 1 ? "does" : "do"}`;
  return [line(null, "warning", `${begin} waits for what ${still}; Ctrl-C ends that too`)];
}

function byWhom({ user, host, via }: Answerer): string {
  if (via === "file") return " by the simulation";
  const who = user === null ? "" : ` by ${user}`;
  return host === null ? who : `${who} on ${host}`;
}

function data(attributes: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(attributes).map(([name, value]) => `${name}=${firstLine(value)}`);
  return pairs.length === 0 ? "" : ` (${pairs.join(", ")})`;
}

function simulated(backend: string): readonly Line[] {
  if (!isSimulated(backend)) return [];
  return [
    line(null, "warning", "! simulated: no model is called, and costs are made up", {
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
