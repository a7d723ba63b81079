import { counted } from "../../core/counted.ts";
import { formatDuration } from "../../core/duration.ts";
import { type Activity, errorOf, type Running } from "../../core/machine/activity.ts";
import type { Agent } from "../../core/machine/agent.ts";
import type { AgentWait } from "../../core/machine/agent-wait.ts";
import { contextOf } from "../../core/machine/context.ts";
import { stepState } from "../../core/machine/gate.ts";
import { formatUsd } from "../../core/money.ts";
import { formatContext } from "../../core/tokens.ts";
import { firstLine } from "../../observers/first-line.ts";
import { formatWait } from "../../observers/format-wait.ts";
import { distanceOf, localTime } from "../../observers/local-time.ts";
import { opening } from "../../observers/opening.ts";
import { queueWords } from "../../observers/repeated-lines.ts";
import type { AgentReport, Report } from "../../runs/report.ts";
import { asIs, below, type Entry } from "./layout.ts";

/** Where each agent stands, what it has cost, what it waits for, and how its conversation is opened. */
export function agentEntries(report: Report): readonly Entry[] {
  const { agents, queued } = withoutQueue(report);
  const shown = agents.slice(0, MAX_AGENTS);
  const more = agents.length - shown.length;
  return [
    ...shown.flatMap((agent) => oneAgent(agent, report)),
    ...queueEntry(queued),
    ...(more === 0 ? [] : [below(2, `… ${counted(more, "more agent")}: --json tells of them all`)]),
  ];
}

const MAX_AGENTS = 50;

/** The agents that queue for a place and of which there is nothing else to say, apart from the others. */
function withoutQueue(report: Report) {
  const isQueued = ({ id, wait, living }: AgentReport) =>
    wait?.kind === "place" && living?.reminders === 0 && heldUpOf(id, report).length === 0;
  const queued = report.agents.filter(isQueued);
  if (queued.length < LEAST_QUEUE) return { agents: report.agents, queued: [] };
  return { agents: report.agents.filter((agent) => !isQueued(agent)), queued };
}

/** Fewer have a line each. */
const LEAST_QUEUE = 3;

function queueEntry([first, ...others]: readonly AgentReport[]): readonly Entry[] {
  if (first?.wait == null) return [];
  const place = `${first.id}${first.state === null ? "" : ` at ${first.state}`}`;
  return [below(2, `${place}: ${queueWords(first.wait, others.length)}`)];
}

function oneAgent(agent: AgentReport, report: Report): readonly Entry[] {
  const { id, state, spentMicroUsd, conversation, living, problem } = agent;
  const cost =
    spentMicroUsd === null || spentMicroUsd === 0 ? "" : ` (${formatUsd(spentMicroUsd)})`;
  const error = living && errorOf(living);
  const { run } = report;
  // The reason of the run has said it already.
  const told = error === null || error.message === run.stopReason?.message;
  return [
    below(2, `${id}${state === null ? "" : ` at ${state}`}: ${doing(agent, report)}${cost}`),
    ...heldUpOf(id, report).map((message) => below(4, message)),
    ...answerEntries(agent, report),
    ...(told ? [] : [below(4, error.message), ...hintEntry(error.hint)]),
    ...(problem === null ? [] : [below(4, problem)]),
    ...(conversation === null ? [] : [asIs(4, opening(conversation, run.settings.client))]),
  ];
}

/** What keeps an agent, or the run (null), that its state does not tell of. */
export function heldUpOf(
  agent: AgentReport["id"] | null,
  { heldUp = [] }: Pick<Report, "heldUp">,
): readonly string[] {
  return heldUp.flatMap((each) => (each.agent === agent ? each.message : []));
}

/** How what it asks is answered, or what was. */
function answerEntries({ id, wait, answerWith }: AgentReport, report: Report): readonly Entry[] {
  if (wait?.kind !== "answer") return [];
  if (answerWith !== null) return [below(4, `answer with: ${answerWith}`)];
  const given = report.answers.find(({ agent }) => agent === id);
  return given === undefined ? [] : [below(4, `answered: ${firstLine(given.answer)}`)];
}

function hintEntry(hint: string | null): readonly Entry[] {
  return hint === null ? [] : [below(4, `hint: ${hint}`)];
}

/** What an agent does, or waits for, as the end of a sentence. */
export function doing(
  { living, wait, problem }: AgentReport,
  { holder, now, run }: Pick<Report, "holder" | "now" | "run">,
): string {
  if (living === null) return problem === null ? "has ended" : "has failed, as its parent was told";
  const { activity, stack, reminders, cwd } = living;
  const context = contextOf(run, living.session);
  const callers = stack.map((frame) => frame.returnTo).toReversed();
  const details = [
    activity.type !== "running"
      ? waiting(wait, activity, { now, run })
      : holder === null
        ? `was in ${stepOf(living, activity)} that will be ${activity.accepted ? "continued" : "done again"}`
        : `in ${stepOf(living, activity)} for ${formatDuration(now - Date.parse(activity.startedAt))}`,
    ...(callers.length === 0 ? [] : [`its result goes to ${callers.join(", then ")}`]),
    ...(reminders === 0 ? [] : [counted(reminders, "reminder")]),
    ...(context === null ? [] : [`context ${formatContext(context)}`]),
    ...(cwd === null ? [] : [`in ${cwd}`]),
  ];
  return details.join("; ");
}

/** What runs for it, by its number: its state, or the script that verifies what its state has said. */
function stepOf(agent: Agent, { kind, process }: Running): string {
  const what = agent.gate === null ? `a ${kind}` : `the gate ${stepState(agent)}`;
  return `step ${String(process)}, ${what},`;
}

function waiting(
  wait: AgentWait | null,
  { type }: Activity,
  { now, run }: Pick<Report, "now" | "run">,
): string {
  // Its time has come, and the run does not run.
  if (wait === null) return type === "waiting" ? "ready" : type;
  // What there is to say of the money stands above, once.
  if (wait.kind === "money") return "waits until the budget is raised";
  const away = "until" in wait && wait.until !== null ? `, ${distanceOf(wait.until, now)}` : "";
  if (wait.kind === "delay" && run.stopReason !== null) {
    return `waits until ${localTime(wait.until)} after a resume${away}`;
  }
  return `${formatWait(wait)}${away}`;
}
