import { openCommand } from "../../console/format/open-command.ts";
import type { Blocker } from "../../engine/ports/store.ts";
import { toUsd } from "../../language/basics/money.ts";
import { isoOf } from "../../log/codec/json-codec.ts";
import { errorOf } from "../../machine/activity.ts";
import { conversationOf } from "../../machine/agent.ts";
import type { RunId } from "../../machine/run-state.ts";
import type { AgentWait } from "../../machine/wait/agent-wait.ts";
import { runDocument } from "../document.ts";
import type { AgentReport, Report } from "../report.ts";
import { holderJson } from "./holder-json.ts";
import type { AgentJson, ReportJson, WaitJson } from "./shapes.ts";

/**
 * Output of `raymond status --json`: the state file's document, and the facts of the page
 * (docs/cli.md).
 */
export function reportJson(report: Report): ReportJson {
  const { run, status, holder, stoppedAt, workedMs, history, leftovers, allow, next } = report;
  return {
    ...runDocument(run),
    status,
    held_up: heldUpJson(report.waitReasons ?? []),
    held_by: holder === null ? null : holderJson(holder),
    taken_over: history?.takeover ?? null,
    stopped_at: stoppedAt === null ? null : isoOf(stoppedAt),
    worked_s: workedMs === null ? null : workedMs / 1_000,
    report: report.agents.map((agent) => agentJson(agent, report)),
    denied: history === null ? null : history.denials.map((denial) => ({ ...denial })),
    allow,
    reminded: history === null ? null : Object.fromEntries(history.reminded),
    alive: leftovers.map(({ pid, command }) => ({ pid, command })),
    next,
  };
}

/** A run that was put into the queue of its fleet, for scripts. */
export function submittedJson(run: RunId, heldUp: readonly Blocker[]): object {
  return { workflow_id: run, held_up: heldUpJson(heldUp) };
}

/** What keeps a run, for scripts. */
function heldUpJson(heldUp: readonly Blocker[]): ReportJson["held_up"] {
  return heldUp.map(({ agent, message }) => ({ agent, message }));
}

function untilOf(wait: AgentWait): string | null {
  return "until" in wait && wait.until !== null ? isoOf(wait.until) : null;
}

/** What a person is asked, and the command that answers. */
function askedOf({ wait, answerWith }: AgentReport): Partial<WaitJson> {
  if (wait?.kind !== "answer") return {};
  const { number, question, options } = wait;
  return { number, question, options, answer_with: answerWith };
}

/** What there is to say of an agent, for scripts. */
export function agentJson(
  agent: AgentReport,
  { run, history }: Pick<Report, "run" | "history">,
): AgentJson {
  const { id, state, living, problem, spentMicroUsd, wait, conversation } = agent;
  const sessions = history?.conversations.get(id)?.map(({ session }) => session) ?? [];
  return {
    agent: id,
    state,
    ended: living === null,
    cost_usd: spentMicroUsd === null ? null : toUsd(spentMicroUsd),
    waits_for: wait === null ? null : { for: wait.kind, until: untilOf(wait), ...askedOf(agent) },
    error: living && errorOf(living),
    reported: problem,
    returns_to: living?.stack.map((frame) => frame.returnTo).toReversed() ?? [],
    callers: living?.stack.map((frame) => conversationOf(frame.session)).toReversed() ?? [],
    session_id: conversation?.session ?? null,
    session_dir: conversation?.cwd ?? null,
    context: conversation?.context ?? null,
    open: conversation === null ? null : openCommand(conversation, run.settings.client),
    sessions,
  };
}
