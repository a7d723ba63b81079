import { allowWords, deniedWords } from "../../console/allow-flag.ts";
import { distanceOf, localMoment, zoneName } from "../../console/local-time.ts";
import { takeOverAdvice } from "../../console/summary.ts";
import { isSimulated } from "../../engine/ports/backend.ts";
import type { LockHolder } from "../../engine/ports/store.ts";
import { codingAgentsOf } from "../../inspect/coding-agents.ts";
import type { Report } from "../../inspect/report.ts";
import { counted } from "../../language/basics/counted.ts";
import { formatDuration } from "../../language/basics/duration.ts";
import { formatUsd } from "../../language/basics/money.ts";
import type { TakenOver } from "../../log/event-history.ts";
import { firstWait } from "../../machine/backends/backend-waits.ts";
import { errorOf } from "../../machine/model/activity.ts";
import { spent } from "../../machine/model/run-state.ts";
import { processLine } from "../words/words.ts";
import { workWords } from "../words/worktree-words.ts";
import { agentEntries, heldUpOf } from "./agents.ts";
import { asIs, below, type Entries, type Entry, labelled, layOut } from "./layout.ts";

export function formatPage(report: Report, width: number | null): readonly string[] {
  const { run, program } = report;
  const whole = `${program} status ${run.id} --json`;
  return layOut(
    [
      ...[head(report), times(report), money(report)],
      ...[denials(report), reminders(report), orphans(report)],
      section("agents", agentEntries(report)),
      section("worktrees", worktreeEntries(report)),
      section("results", resultEntries(run.results, whole)),
      section("next", nextEntries(report)),
    ],
    width,
  );
}

/** Worktrees of agents that have not ended, and those that remain. Of a run in progress, their work is unknown. */
function worktreeEntries({
  run: { agents, kept = [] },
  worktrees,
}: Pick<Report, "run" | "worktrees">): readonly Entry[] {
  const living = agents.flatMap(({ id, worktree }) =>
    worktree === undefined ? [] : [{ ...worktree, agent: id, reason: null }],
  );
  const shown = worktrees ?? [...living, ...kept].map((each) => ({ ...each, work: undefined }));
  return shown.flatMap(({ agent, branch, folder, reason, work }) => [
    below(
      2,
      `${agent ?? "the run"} on branch ${branch}${reason === null ? "" : `, kept: ${reason}`}`,
    ),
    asIs(4, folder),
    ...(work === undefined ? [] : [below(4, workWords(work))]),
  ]);
}

function section(title: string, entries: readonly Entries[]): Entries {
  return entries.length === 0 ? null : [asIs(0, ""), labelled(title, ""), entries];
}

export function nextEntries({ next, ways }: Pick<Report, "next" | "ways">): readonly Entry[] {
  if (ways.length === 0) return next === null ? [] : [asIs(2, next)];
  return ways.flatMap(({ purpose: about, command }) => [
    below(2, `to ${about}:`),
    asIs(4, command),
  ]);
}

function head(report: Report): Entries {
  const { run, status, holder, history, debug, now, program } = report;
  const limit = firstWait(run);
  const agents = codingAgentsOf(run);
  // The reason of an earlier stop does not apply to a queued run.
  const reason = status === "queued" ? null : run.stopReason;
  const where = [reason?.agent, reason?.state].filter((part) => part != null).join(" at ");
  const error = run.agents.map(errorOf).find((each) => each?.message === reason?.message) ?? null;
  return [
    labelled("run", run.id + (isSimulated(run.backend) ? " (simulated: costs are made up)" : "")),
    labelled("status", statusWords({ status, holder, now })),
    status !== "held"
      ? null
      : [
          labelled("", "if that process is certainly dead:"),
          asIs(10, takeOverAdvice(run, program)),
        ],
    heldUpOf(null, report).map((message) => labelled("", message)),
    takenWords(history?.takeover ?? null, now),
    reason === null ? null : paragraph("reason", reason.message),
    where === "" || reason === null ? null : labelled("", where),
    error?.hint == null ? null : paragraph("hint", error.hint),
    limit &&
      labelled(
        "wait",
        waitWords(limit.wait.until, reason === null ? limit.wait.message : null, now),
      ),
    agents.length === 0 ? null : labelled("on", agents.join(", ")),
    labelled("workflow", run.workflow.path),
    originEntries(run),
    labelled("folder", run.launchDir),
    run.worktree === undefined ? null : labelled("branch", run.worktree.branch),
    debug === null || reason === null ? null : labelled("debug", debug),
  ];
}

function originEntries({ origin }: Report["run"]): Entries {
  if (origin === null) return null;
  const { run, step, costMicroUsd } = origin;
  return [
    labelled("from", `${run}, before step ${String(step)}`),
    labelled("", `its ${formatUsd(costMicroUsd)} are not counted here`),
  ];
}

export function statusWords({
  status,
  holder,
  now,
}: Pick<Report, "status" | "holder" | "now">): string {
  return status + (holder === null ? "" : heldWords(holder, status === "held", now));
}

/** The owner. `elsewhere`: it cannot be checked from here. */
function heldWords({ pid, host, lastSeenAt }: LockHolder, elsewhere: boolean, now: number): string {
  const by = `pid ${String(pid)} on ${host}`;
  if (!elsewhere) return ` (${by})`;
  const lastSeen = Date.parse(lastSeenAt);
  return ` on ${host} (pid ${String(pid)}), last activity ${localMoment(lastSeen, now)}, ${distanceOf(lastSeen, now)}`;
}

function takenWords(taken: TakenOver | null, now: number): Entries {
  if (taken === null) return null;
  const { pid, host, at } = taken;
  const moment = localMoment(Date.parse(at), now);
  return labelled("taken", `${moment} from pid ${String(pid)} on ${host}, by --take-over`);
}

function paragraph(label: string, text: string): readonly Entry[] {
  return text.split(/\r?\n/).map((line, at) => labelled(at === 0 ? label : "", line));
}

function waitWords(until: number, message: string | null, now: number): string {
  const left =
    until > now ? `${formatDuration(until - now)} left` : "over, the next prompt retries";
  return `until ${localMoment(until, now)} (${left}), usage limit${message === null ? "" : `: ${message}`}`;
}

function times({ run, status, now, stoppedAt, workedMs, history }: Report): Entries {
  const started = Date.parse(run.startedAt);
  const changed = Date.parse(run.updatedAt);
  // The end of a step that was cut off is unknown.
  const cutOff = stoppedAt !== null && history?.busy === true;
  const moment = (ms: number) => `${localMoment(ms, now)}, ${distanceOf(ms, now)}`;
  const steps = `${String(run.steps)} done, ${counted(run.totals.attempts, "attempt")}`;
  return [
    labelled("started", `${moment(started)} (${zoneName(started)})`),
    stoppedAt === null
      ? labelled("changed", moment(changed))
      : labelled(
          "stopped",
          moment(stoppedAt) + (status === "crashed" ? ", as far as is known" : ""),
        ),
    workedMs === null
      ? null
      : labelled("worked", (cutOff ? "at least " : "") + formatDuration(workedMs)),
    labelled("steps", steps),
  ];
}

function money({ run }: Report): Entries {
  const { budgetMicroUsd } = run.settings;
  const budget = budgetMicroUsd === null ? "no budget" : `of ${formatUsd(budgetMicroUsd)}`;
  const estimated = run.totals.estimatedMicroUsd;
  const part = estimated > 0 ? `, ${formatUsd(estimated)} of it estimated` : "";
  return labelled("cost", `${formatUsd(spent(run))} ${budget}${part}`);
}

function denials({ run, allow }: Report): Entries {
  const denied = run.denied ?? [];
  if (denied.length === 0) return [];
  const shown = denied.slice(0, MOST_DENIALS);
  const more = denied.length - shown.length;
  return [
    shown.map((call, at) => labelled(at === 0 ? "denied" : "", deniedWords(call))),
    more === 0 ? null : labelled("", `… and ${String(more)} more`),
    allow === null ? null : [labelled("", `${allowWords(allow)}:`), asIs(10, allow)],
  ];
}

const MOST_DENIALS = 8;

function reminders({ history }: Report): Entries {
  const most = [...(history?.reminded ?? [])].toSorted(([, a], [, b]) => b - a);
  if (most.length === 0) return null;
  const list = most.map(([state, count]) => `${state} ${String(count)}×`).join(", ");
  return labelled("reminded", list);
}

function orphans({ run, leftovers: left, program }: Report): Entries {
  if (left.length === 0) return null;
  return [
    labelled(
      "alive",
      `${counted(left.length, "process", "processes")} of this run, which no process of raymond owns:`,
    ),
    left.slice(0, MOST_PROCESSES).map((found) => below(10, processLine(found))),
    left.length > MOST_PROCESSES
      ? below(10, `… and ${String(left.length - MOST_PROCESSES)} more`)
      : null,
    labelled("", "a resume ends them first; to end them now:"),
    asIs(10, `${program} stop ${run.id}`),
  ];
}

const MOST_PROCESSES = 10;

/** The results of ended agents, cut to the size of a page. `whole`: the command that prints them completely. */
function resultEntries(
  results: Readonly<Record<string, string>>,
  whole: string,
): readonly Entries[] {
  const all = Object.entries(results).toSorted(
    ([a], [b]) => Number(b === "main") - Number(a === "main"),
  );
  if (all.length === 0) return [];
  const shown = all.slice(0, MAX_RESULTS);
  return [
    shown.map(([id, result]) => [below(2, id), textEntries(result, whole)]),
    all.length === shown.length
      ? null
      : below(2, `… ${String(all.length - shown.length)} more: ${whole}`),
  ];
}

const MAX_RESULTS = 20;
const MAX_LINES = 40;
const MAX_CHARACTERS = 4_000;

function textEntries(text: string, whole: string): Entries {
  if (text.trim() === "") return below(4, "(nothing)");
  const lines = text.slice(0, MAX_CHARACTERS).split(/\r?\n/).slice(0, MAX_LINES);
  const kept = lines.join("\n").length;
  const left = text.replaceAll("\r\n", "\n").length - kept;
  return [
    lines.map((line) => asIs(4, line)),
    left <= 0
      ? null
      : below(4, `… cut: ${left.toLocaleString("en-US")} characters more. The whole: ${whole}`),
  ];
}
