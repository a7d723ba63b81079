import { isSimulated } from "../../engine/ports/backend.ts";
import type { Blocker } from "../../engine/ports/store.ts";
import { placeJson } from "../../inspect/json/fleet-json.ts";
import { agentJson, reportJson } from "../../inspect/json/report-json.ts";
import { type AgentReport, findAnswers, type Report, reportOf } from "../../inspect/report.ts";
import { shownStatus } from "../../inspect/run-view.ts";
import { isoOf } from "../../log/codec/json-codec.ts";
import { resumeNeeds } from "../../log/resume-needs.ts";
import { truncate } from "../../log/truncate.ts";
import { errorOf, runningOf } from "../../machine/model/activity.ts";
import type { RunId, RunState } from "../../machine/model/run-state.ts";
import { questionsOf } from "../../machine/moves/question.ts";
import { isLive } from "../../machine/moves/stop.ts";
import type { Caller } from "../../wire/caller.ts";
import type { RunSource } from "../../wire/run-source.ts";
import {
  type OverviewAgentJson,
  type OverviewJson,
  type QuestionJson,
  REPORT_KEYS,
  type RunEvents,
} from "../api.ts";
import { isAway } from "../server/problem.ts";
import type { RunSnapshot, RunWatch } from "./run-watch.ts";

/** The status of a run. Does not wait for the first read of the log, which can be long. */
export async function overview(
  watch: RunWatch,
  folder: string,
  caller: Caller,
): Promise<OverviewJson> {
  const snapshot = await watch.refresh();
  const soFar = watch.logSoFar();
  const facts = soFar.log === "reading" ? soFar : await watch.log();
  const { run, holder } = snapshot;
  const { id, store, program } = watch.of;
  const answers = await findAnswers(questionsOf(run), await store.answers(id));
  const report = reportOf({
    ...{ run, holder, answers, program, history: facts.history },
    waitReasons: await heldUpOf(snapshot, store, id),
    status: shownStatus(run, holder, snapshot.isExpected),
    // Scanning the process table is too slow for a page that polls: `raymond status` reports orphan processes.
    leftovers: [],
    debug: null,
    now: caller.now(),
  });
  const json = reportJson(report);
  const shared = Object.fromEntries(REPORT_KEYS.map((key) => [key, json[key]]));
  return {
    ...(shared as Pick<typeof json, (typeof REPORT_KEYS)[number]>),
    denied: json.denied.slice(0, MAX_DENIED),
    folder,
    simulated: isSimulated(run.backend),
    agents: report.agents.map((agent) => agentOf(agent, report)),
    questions: questionsIn(report),
    results: Object.fromEntries(
      Object.entries(run.results).map(([id, text]) => [id, truncate(text, MAX_RESULT_BYTES)]),
    ),
    log: facts.log,
    damage: snapshot.damage?.message ?? null,
    resume_needs: needsOf(run),
    place: snapshot.place === null ? null : placeJson(snapshot.place),
    away: snapshot.away,
  };
}

function needsOf(run: RunState): OverviewJson["resume_needs"] {
  const { wait, maxWaitMinutes, budget, maxSteps, state } = resumeNeeds(run);
  return {
    wait: wait || maxWaitMinutes !== null,
    budget: budget !== null,
    max_steps: maxSteps,
    state,
  };
}

/** Reasons outside the run state why it does not progress. Empty while the database is unavailable. */
async function heldUpOf(
  { run, isExpected, away }: RunSnapshot,
  { queue }: RunSource,
  id: RunId,
): Promise<readonly Blocker[]> {
  if (away !== null || !(isExpected || isLive(run))) return [];
  return queue.waitReasons(id).catch((error: unknown) => {
    if (isAway(error)) return [];
    throw error;
  });
}

/** The data of a `changed` event. */
export function overviewSummary(watch: RunWatch, snapshot: RunSnapshot): RunEvents["changed"] {
  const { log } = watch.logSoFar();
  const { run, holder, isExpected } = snapshot;
  return { saves: run.saves, seq: run.seq, status: shownStatus(run, holder, isExpected), log };
}

const MAX_DENIED = 200;

function agentOf(agent: AgentReport, report: Report): OverviewAgentJson {
  const running = agent.living === null ? null : runningOf(agent.living);
  const does = activityOf(agent, report);
  const current = does === "running" ? running : null;
  return {
    ...agentJson(agent, report),
    // Can be long, and the page does not show it.
    sessions: [],
    does,
    step: current?.process ?? null,
    since: current?.startedAt ?? null,
  };
}

function activityOf(
  { living, wait }: AgentReport,
  { holder, status }: Report,
): OverviewAgentJson["does"] {
  if (living === null) return "ended";
  if (errorOf(living) !== null) return "failed";
  if (runningOf(living) !== null && holder !== null) return "running";
  if (wait?.kind === "answer") return "waiting";
  if (!STARTS_STEPS.has(status)) return "stopped";
  return wait === null ? "ready" : "waiting";
}

/** Statuses in which a process starts steps, or a worker is about to claim the run. */
const STARTS_STEPS: ReadonlySet<Report["status"]> = new Set([
  ...(["running", "waiting", "queued", "held"] as const),
]);

function questionsIn({ run, answers }: Report): readonly QuestionJson[] {
  return questionsOf(run).map(({ agent, from, number, question, options, until }) => ({
    ...{ agent, state: from, number, question, options },
    until: until === null ? null : isoOf(until),
    answered: answers.some((each) => each.agent === agent && each.number === number),
  }));
}

/** The page shows a complete result with the last step of its agent. */
const MAX_RESULT_BYTES = 16 * 1024;
