import { errorOf, runningOf } from "../core/machine/activity.ts";
import { questionsOf } from "../core/machine/question.ts";
import type { RunId, RunState } from "../core/machine/run-state.ts";
import { isLive } from "../core/machine/stop.ts";
import { bounded } from "../observers/bounded.ts";
import { isoOf } from "../observers/json-codec.ts";
import { resumeNeeds } from "../observers/resume-needs.ts";
import { isSimulated } from "../ports/backend.ts";
import type { HeldUp, Store } from "../ports/store.ts";
import type { Caller } from "../runs/caller.ts";
import { shownStatus } from "../runs/inspect.ts";
import { placeJson } from "../runs/json/fleet-json.ts";
import { agentJson, reportJson } from "../runs/json/report-json.ts";
import { type AgentReport, given, type Report, reportOf } from "../runs/report.ts";
import { answersOf } from "../runs/wire/answers.ts";
import type { OverviewAgentJson, OverviewJson, QuestionJson, RunEvents } from "./api.ts";
import { isAway } from "./problem.ts";
import type { RunWatch, Seen } from "./run-watch.ts";

/** How a run stands. Only the first time the log is not waited for: it can be long. */
export async function overview(
  watch: RunWatch,
  folder: string,
  caller: Caller,
): Promise<OverviewJson> {
  const seen = await watch.look();
  const soFar = watch.logSoFar();
  const facts = soFar.log === "reading" ? soFar : await watch.log();
  const { run, holder } = seen;
  const { id, store, program } = watch.of;
  const answers = await given(questionsOf(run), await answersOf(id, store, caller));
  const report = reportOf({
    ...{ run, holder, answers, program, history: facts.history },
    heldUp: await heldUpOf(seen, store, id),
    status: shownStatus(run, holder, seen.isExpected),
    // The process table is not searched for a page that is shown again and again: `raymond status` tells of it.
    leftovers: [],
    debug: null,
    now: caller.now(),
  });
  return {
    ...shownOf(reportJson(report)),
    folder,
    simulated: isSimulated(run.backend),
    agents: report.agents.map((agent) => agentOf(agent, report)),
    questions: questionsIn(report),
    results: shortened(run.results),
    log: facts.log,
    damage: seen.damage?.message ?? null,
    resume_needs: needsOf(run),
    place: seen.place === null ? null : placeJson(seen.place),
    away: seen.away,
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

/** What keeps it that its state does not tell of; nothing where nobody can say it now. */
async function heldUpOf(
  { run, isExpected, away }: Seen,
  { remote }: Store,
  id: RunId,
): Promise<readonly HeldUp[]> {
  if (remote === undefined || away !== null || !(isExpected || isLive(run))) return [];
  return remote.heldUp(id).catch((error: unknown) => {
    if (isAway(error)) return [];
    throw error;
  });
}

/** What is told of it when it has changed. */
export function overviewHead(watch: RunWatch, seen: Seen): RunEvents["changed"] {
  const { log } = watch.logSoFar();
  const { run, holder, isExpected } = seen;
  return { saves: run.saves, seq: run.seq, status: shownStatus(run, holder, isExpected), log };
}

/** A run's token marks its processes, and its texts can be long: neither goes to a browser. */
function shownOf(json: ReturnType<typeof reportJson>) {
  const { workflow_id, status, stop_reason, scope_dir, launch_dir, started_at, updated_at } = json;
  const { settings, total_cost_usd, steps, processes, workflow, backend, totals, wait } = json;
  const {
    origin,
    seq,
    saves,
    held_up,
    held_by,
    taken_over,
    stopped_at,
    worked_s,
    denied,
    allow,
    reminded,
  } = json;
  return {
    ...{ workflow_id, status, stop_reason, scope_dir, launch_dir, started_at, updated_at },
    ...{ settings, total_cost_usd, steps, processes, workflow, backend, totals, wait },
    ...(origin === undefined ? {} : { origin }),
    ...{ seq, saves, held_up, held_by, taken_over, stopped_at, worked_s, allow, reminded },
    denied: denied?.slice(0, MOST_DENIED) ?? null,
    next: json.next,
  };
}

const MOST_DENIED = 200;

function agentOf(agent: AgentReport, report: Report): OverviewAgentJson {
  const running = agent.living === null ? null : runningOf(agent.living);
  const json = agentJson(agent, report);
  const does = doing(agent, report);
  return {
    ...json,
    // A list of those that it has held before can be long, and is asked for where it is shown.
    sessions: [],
    does,
    step: does === "running" ? (running?.process ?? null) : null,
    since: does === "running" ? (running?.startedAt ?? null) : null,
  };
}

function doing(
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

/** The statuses in which a process starts steps, or a worker is about to. */
const STARTS_STEPS: ReadonlySet<Report["status"]> = new Set([
  ...(["running", "waiting", "queued", "held"] as const),
]);

function questionsIn({ run, answers }: Report): readonly QuestionJson[] {
  return questionsOf(run).map(({ agent, from, number, question, options, until }) => ({
    ...{ agent, state: from, number, question, options },
    until: until === null ? null : isoOf(until),
    answered: answers.some((given) => given.agent === agent && given.number === number),
  }));
}

function shortened(results: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(results).map(([agent, text]) => [agent, bounded(text, MOST_OF_RESULT)]),
  );
}

/** Bytes of a result that the overview has; a whole one stands at the end of its agent's last step. */
const MOST_OF_RESULT = 16 * 1024;
