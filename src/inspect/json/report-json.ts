import { isSimulated } from "../../engine/ports/backend.ts";
import type { Blocker, LockHolder, RunSummary } from "../../engine/ports/store.ts";
import { toUsd } from "../../language/basics/money.ts";
import { isoOf } from "../../log/codec/json-codec.ts";
import type { LoggedCommand } from "../../log/logged-commands.ts";
import { errorOf } from "../../machine/model/activity.ts";
import { conversationOf } from "../../machine/model/agent.ts";
import type { AgentWait } from "../../machine/model/agent-wait.ts";
import type { RunId, RunState } from "../../machine/model/run-state.ts";
import type { Totals } from "../../machine/model/totals.ts";
import { encodeRun, encodeSums } from "../../storage/codec/state-document.ts";
import { shownAgent } from "../coding-agents.ts";
import { cacheShare, sumsByAgent } from "../costs.ts";
import { openCommand } from "../open-command.ts";
import type { AgentReport, Report } from "../report.ts";
import type { RunView } from "../run-view.ts";
import type {
  AgentJson,
  CommandJson,
  CostJson,
  HolderJson,
  ReportJson,
  SummaryJson,
  UsageJson,
  WaitJson,
} from "./shapes.ts";

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoOf(ms);
}

/** A line of `raymond list --json`. */
export function summaryJson(run: RunSummary): SummaryJson {
  return {
    workflow_id: run.id,
    status: run.status,
    workflow: run.workflow,
    simulated: run.simulated,
    total_cost_usd: run.costMicroUsd === null ? null : toUsd(run.costMicroUsd),
    origin: run.origin && { run: run.origin.run, step: run.origin.step },
    steps: run.steps,
    agents: run.agents,
    started_at: run.startedAt,
    updated_at: run.updatedAt,
    waits_until: run.waitsUntil,
    questions: run.questions,
    held_by: holderJson(run.holder),
    problem: run.problem,
  };
}

function holderJson(holder: LockHolder | null): HolderJson | null {
  if (holder === null) return null;
  const { host, pid, startedAt, visible, lastSeenAt } = holder;
  return { host, pid, started_at: startedAt, visible, last_seen_at: lastSeenAt };
}

/** Output of `raymond status --json` (docs/cli.md). */
export function reportJson(report: Report): ReportJson {
  const { run, status, holder, stoppedAt, workedMs, history, leftovers, allow, next } = report;
  return {
    ...encodeRun(run),
    status,
    held_up: heldUpJson(report.waitReasons),
    held_by: holderJson(holder),
    taken_over: history?.takeover ?? null,
    commands: history?.commands.map(commandJson) ?? null,
    stopped_at: isoOrNull(stoppedAt),
    worked_s: workedMs === null ? null : workedMs / 1_000,
    report: report.agents.map((agent) => agentJson(agent, report)),
    denied: run.denied ?? [],
    allow,
    reminded: history === null ? null : Object.fromEntries(history.reminded),
    changes: history?.changes.map(({ shared = false, ...each }) => ({ ...each, shared })) ?? null,
    alive: leftovers.map(({ pid, command }) => ({ pid, command })),
    next,
  };
}

export function commandJson({ actor: by, ...command }: LoggedCommand): CommandJson {
  const { sudoUser: sudo_user, ...actor } = by;
  return { ...command, actor: { ...actor, ...(sudo_user !== undefined && { sudo_user }) } };
}

export function submittedJson(run: RunId, waitReasons: readonly Blocker[]): object {
  return { workflow_id: run, held_up: heldUpJson(waitReasons) };
}

function heldUpJson(waitReasons: readonly Blocker[]): ReportJson["held_up"] {
  return waitReasons.map(({ agent, message }) => ({ agent, message }));
}

/** Of a question also its text and the command that answers it. */
function waitJson(wait: AgentWait, answerWith: string | null): WaitJson {
  const until = isoOrNull("until" in wait ? wait.until : null);
  if (wait.kind !== "answer") return { for: wait.kind, until };
  const { number, question, options } = wait;
  return { for: wait.kind, until, number, question, options, answer_with: answerWith };
}

export function agentJson(
  agent: AgentReport,
  { run, history }: Pick<Report, "run" | "history">,
): AgentJson {
  const { id, state, living, problem, spentMicroUsd, wait, conversation, answerWith } = agent;
  const sessions = history?.conversations.get(id)?.map(({ session }) => session) ?? [];
  return {
    agent: id,
    state,
    ended: living === null,
    cost_usd: spentMicroUsd === null ? null : toUsd(spentMicroUsd),
    waits_for: wait && waitJson(wait, answerWith),
    error: living && errorOf(living),
    reported: problem,
    returns_to: living?.stack.map((frame) => frame.returnTo).toReversed() ?? [],
    callers: living?.stack.map((frame) => conversationOf(frame.session)).toReversed() ?? [],
    session_id: conversation?.session ?? null,
    session_dir: conversation?.cwd ?? null,
    context: conversation?.context ?? null,
    open: conversation && openCommand(conversation, run),
    backend: shownAgent(living, conversation, run),
    sessions,
  };
}

/** Output of `raymond cost --json`: totals as in the state file with their cache share, and those of all agents. */
export function costJson(view: Pick<RunView, "run" | "status" | "history">): CostJson {
  const { run, status } = view;
  const { workflow_id, total_cost_usd, settings, totals, origin } = encodeRun(run);
  return {
    workflow_id,
    status,
    simulated: isSimulated(run.backend),
    budget_usd: settings.budget_usd,
    total_cost_usd,
    origin: origin ?? null,
    totals: { ...totals, cache_share: cacheShare(run.totals) },
    sums: {
      agents: usageJson(sumsByAgent(view)),
      states: usageJson(run.sums.states),
      models: usageJson(run.sums.models),
      backends: usageJson(run.sums.backends),
    },
  };
}

function usageJson(named: Readonly<Record<string, Totals>>): Readonly<Record<string, UsageJson>> {
  const rows = Object.entries(named);
  return Object.fromEntries(
    rows.map(([name, of]) => [name, { ...encodeSums(of), cache_share: cacheShare(of) }]),
  );
}

/** The settings for a page that may be published: a command may contain a secret, so it is left out. */
export function shownSettings(run: RunState): Readonly<Record<string, unknown>> {
  const { settings } = encodeRun(run);
  return { ...settings, notify: settings.notify === null ? null : "(a command)" };
}
