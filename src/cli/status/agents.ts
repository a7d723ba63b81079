import { firstLine } from "../../console/format/first-line.ts";
import { formatWait } from "../../console/format/format-wait.ts";
import { distanceOf, localTime } from "../../console/local-time.ts";
import { queueWords } from "../../console/repeated-lines.ts";
import { codingAgentOf } from "../../inspect/coding-agents.ts";
import { openCommand } from "../../inspect/open-command.ts";
import type { AgentReport, Report } from "../../inspect/report.ts";
import { counted } from "../../language/basics/counted.ts";
import { formatDuration } from "../../language/basics/duration.ts";
import { formatUsd } from "../../language/basics/money.ts";
import { formatContext } from "../../language/basics/tokens.ts";
import { type Activity, errorOf, type Running } from "../../machine/model/activity.ts";
import type { Agent } from "../../machine/model/agent.ts";
import type { AgentWait } from "../../machine/model/agent-wait.ts";
import { stepState } from "../../machine/model/gate.ts";
import { contextOf } from "../../machine/spend/context.ts";
import { asIs, below, type Entries } from "./layout.ts";

export function agentEntries(report: Report): readonly Entries[] {
  if (report.agents.length === 0) return [];
  const { agents, queued } = withoutQueue(report);
  const shown = agents.slice(0, MAX_AGENTS);
  const more = agents.length - shown.length;
  return [
    shown.map((agent) => oneAgent(agent, report)),
    queueEntry(queued),
    more === 0 ? null : below(2, `… ${counted(more, "more agent")}: --json lists all of them`),
  ];
}

const MAX_AGENTS = 50;

/** Separates agents that only wait for a free slot from the others. */
function withoutQueue(report: Report) {
  const isQueued = ({ id, wait, living }: AgentReport) =>
    wait?.kind === "place" && living?.reminders === 0 && heldUpOf(id, report).length === 0;
  const queued = report.agents.filter(isQueued);
  if (queued.length < LEAST_QUEUE) return { agents: report.agents, queued: [] };
  return { agents: report.agents.filter((agent) => !isQueued(agent)), queued };
}

/** Below this number, each has its own line. */
const LEAST_QUEUE = 3;

function queueEntry([first, ...others]: readonly AgentReport[]): Entries {
  if (first?.wait == null) return null;
  const place = `${first.id}${first.state === null ? "" : ` at ${first.state}`}`;
  return below(2, `${place}: ${queueWords(first.wait, others.length)}`);
}

function oneAgent(agent: AgentReport, report: Report): Entries {
  const { id, state, spentMicroUsd, conversation, living, problem } = agent;
  const cost =
    spentMicroUsd === null || spentMicroUsd === 0 ? "" : ` (${formatUsd(spentMicroUsd)})`;
  const error = living && errorOf(living);
  const { run } = report;
  const open = conversation && openCommand(conversation, run);
  // Shown as the reason of the run already.
  const isShown = error === null || error.message === run.stopReason?.message;
  return [
    below(2, `${id}${state === null ? "" : ` at ${state}`}: ${doing(agent, report)}${cost}`),
    heldUpOf(id, report).map((message) => below(4, message)),
    answerEntry(agent, report),
    isShown
      ? null
      : [below(4, error.message), error.hint === null ? null : below(4, `hint: ${error.hint}`)],
    problem === null ? null : below(4, problem),
    open === null ? null : asIs(4, open),
  ];
}

/** Why an agent, or the run (null), does not continue, if its state does not show that. */
export function heldUpOf(
  agent: AgentReport["id"] | null,
  { waitReasons }: Pick<Report, "waitReasons">,
): readonly string[] {
  return waitReasons.flatMap((each) => (each.agent === agent ? each.message : []));
}

function answerEntry({ id, wait, answerWith }: AgentReport, report: Report): Entries {
  if (wait?.kind !== "answer") return null;
  if (answerWith !== null) return below(4, `answer with: ${answerWith}`);
  const answered = report.answers.find(({ agent }) => agent === id);
  return answered === undefined ? null : below(4, `answered: ${firstLine(answered.answer)}`);
}

/** The activity of an agent, as the end of a sentence. */
export function doing(
  { living, wait, problem }: AgentReport,
  { holder, now, run }: Pick<Report, "holder" | "now" | "run">,
): string {
  if (living === null)
    return problem === null ? "has ended" : "has failed (reported to its parent)";
  const { activity, stack, reminders, cwd } = living;
  const context = contextOf(run, living.session);
  const callers = stack.map((frame) => frame.returnTo).toReversed();
  const details = [
    ...(living.setResult === null ? [] : ["its result is set and ends this step"]),
    activity.type !== "running"
      ? waiting(wait, activity, { now, run })
      : holder === null
        ? `was in ${stepOf(living, activity, run)} which will be ${activity.accepted ? "continued" : "repeated"}`
        : `in ${stepOf(living, activity, run)} for ${formatDuration(now - Date.parse(activity.startedAt))}`,
    ...(callers.length === 0 ? [] : [`its result goes to ${callers.join(", then ")}`]),
    ...(reminders === 0 ? [] : [counted(reminders, "reminder")]),
    ...(context === null ? [] : [`context ${formatContext(context)}`]),
    ...(cwd === null ? [] : [`in ${cwd}`]),
  ];
  return details.join("; ");
}

/** The step by its number: its state, or the gate of the state. */
function stepOf(agent: Agent, { kind, process }: Running, run: Report["run"]): string {
  const on = codingAgentOf(agent, run);
  const step = on === null ? `a ${kind}` : `a ${kind} on ${on}`;
  const what = agent.gate === null ? step : `the gate ${stepState(agent)}`;
  return `step ${String(process)}, ${what},`;
}

function waiting(
  wait: AgentWait | null,
  { type }: Activity,
  { now, run }: Pick<Report, "now" | "run">,
): string {
  // Its wait is over, and the run is not running.
  if (wait === null) return type === "waiting" ? "ready" : type;
  // The budget is shown above, once.
  if (wait.kind === "money") return "waits until the budget is raised";
  const away = "until" in wait && wait.until !== null ? `, ${distanceOf(wait.until, now)}` : "";
  if (wait.kind === "delay" && run.stopReason !== null) {
    return `waits until ${localTime(wait.until)} after a resume${away}`;
  }
  return `${formatWait(wait)}${away}`;
}
