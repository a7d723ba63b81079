import { existsSync } from "node:fs";
import { allowFlag } from "../console/allow-flag.ts";
import { answerAdvice, resumeAdvice } from "../console/summary.ts";
import type { Answers } from "../engine/ports/answers.ts";
import type { OrphanProcess } from "../engine/ports/orphans.ts";
import type { Remedy } from "../engine/ports/store.ts";
import type { MicroUsd } from "../language/basics/money.ts";
import { fullName } from "../language/protocol/address.ts";
import type { Conversation, RunHistory } from "../log/event-history.ts";
import { runningOf } from "../machine/activity.ts";
import { type Agent, conversationOf } from "../machine/agent.ts";
import type { Answer } from "../machine/move/answer.ts";
import { type Question, questionsOf } from "../machine/move/question.ts";
import type { RunState } from "../machine/run-state.ts";
import { totalCost } from "../machine/spend/totals.ts";
import type { AgentWait } from "../machine/wait/agent-wait.ts";
import { waitsOf } from "../machine/wait/waits.ts";
import type { Caller } from "../wire/caller.ts";
import type { Inspection } from "./inspect.ts";

/** The evidence about a run, from all its sources. */
export interface RunFacts
  extends Pick<Inspection, "run" | "status" | "holder" | "history" | "waitReasons" | "program"> {
  /** Orphan processes of a run without a holder. */
  readonly leftovers: readonly OrphanProcess[];
  /** Stored answers that the run has not received yet. */
  readonly answers: readonly Answer[];
  /** Folder of its debug files; null without any. */
  readonly debug: string | null;
  readonly now: number;
}

/** The facts of the morning page, which is for people, and of its JSON, which is for scripts. */
export interface Report extends RunFacts {
  /** Epoch ms; null while a process holds the run, or a worker is about to claim it. */
  readonly stoppedAt: number | null;
  /** Time in which at least one step ran, ms; null: unknown. */
  readonly workedMs: number | null;
  readonly agents: readonly AgentReport[];
  /** The flag that allows what was denied. */
  readonly allow: string | null;
  /** The command that resumes it; null while it is in progress, and when it is complete. */
  readonly next: string | null;
  /** What a person can do about what keeps a run in its queue, each a command as it is to be called. */
  readonly ways: readonly Remedy[];
}

/** One agent, living or ended. */
export interface AgentReport {
  readonly id: string;
  /** Its current or last state; null: unknown. */
  readonly state: string | null;
  /** Null for an ended agent. */
  readonly living: Agent | null;
  /** The failure that ended it and was reported to its parent; null for all others. */
  readonly problem: string | null;
  /**
   * Includes estimates. Null before the first attempt has ended, and for ended agents without a
   * log.
   */
  readonly spentMicroUsd: MicroUsd | null;
  readonly wait: AgentWait | null;
  /** The command that answers what it asks; null where it asks nothing, or has its answer. */
  readonly answerWith: string | null;
  readonly conversation: Conversation | null;
}

/** What there is to say of a run that was looked at; its debug files and leftovers are looked for. */
export async function report(inspection: Inspection, { now, system }: Caller): Promise<Report> {
  const { run, holder, artifacts, answers } = inspection;
  const { debug, groups } = artifacts;
  const { processes } = await system();
  // Orphan processes of a run without a holder; none if the platform cannot list them.
  const find = () =>
    processes
      .orphans(groups)
      .find(run.token)
      .catch(() => []);
  return reportOf({
    ...inspection,
    leftovers: holder === null ? await find() : [],
    debug: existsSync(debug) ? debug : null,
    answers: await findAnswers(questionsOf(run), answers),
    now: now(),
  });
}

/** What persons have answered to these questions, as far as it can be read. */
export async function findAnswers(
  questions: readonly Question[],
  answers: Pick<Answers, "find">,
): Promise<readonly Answer[]> {
  const found = await Promise.all(
    questions.map((question) => answers.find(question).catch(() => null)),
  );
  return found.flatMap((each) => (each?.kind === "answer" ? each : []));
}

/** What there is to say of a run. Pure. */
export function reportOf(evidence: RunFacts): Report {
  const { run, status, holder, history, program } = evidence;
  const inProgress = GOES_ON.has(status);
  const ways = waysOf(evidence);
  const agents = [...livingAgents(evidence), ...endedAgents(run, history)];
  return {
    ...evidence,
    stoppedAt:
      holder === null && status !== "queued"
        ? Date.parse(history?.endedAt ?? history?.until ?? run.updatedAt)
        : null,
    workedMs: history === null ? null : history.workedMs + stillWorks(evidence),
    agents,
    allow: allowFlag(history?.denials ?? [], run.settings.allowedTools),
    next: inProgress ? (ways[0]?.command ?? null) : nextCommand(run, agents, program),
    ways,
  };
}

/** A process drives it, or is about to. */
const GOES_ON: ReadonlySet<Report["status"]> = new Set([
  ...(["running", "waiting", "stopping", "held", "queued"] as const),
]);

function waysOf({ status, waitReasons: heldUp = [], program }: RunFacts): readonly Remedy[] {
  if (status !== "queued") return [];
  const ways = heldUp.flatMap((each) => each.remedies ?? []);
  return ways.map(({ purpose, command }) => ({ purpose, command: `${program} ${command}` }));
}

/** A run that has stopped for a single question is resumed by its answer. */
function nextCommand(
  run: RunState,
  agents: readonly AgentReport[],
  program: string,
): string | null {
  const [first, ...more] = agents.flatMap(({ answerWith }) => answerWith ?? []);
  if (run.stopReason?.class !== "question" || first === undefined)
    return resumeAdvice(run, program);
  return more.length === 0 ? `${first} --resume` : first;
}

/** What the log does not have yet of the step that runs. */
function stillWorks({ holder, history, now }: RunFacts): number {
  if (holder === null || history?.busy !== true) return 0;
  return Math.max(0, now - Date.parse(history.until));
}

function livingAgents({ run, history, now, answers, program }: RunFacts): readonly AgentReport[] {
  const waitFor = waitsOf(run, now);
  const questions = questionsOf(run).filter(
    ({ agent }) => !answers.some((answer) => answer.agent === agent),
  );
  return run.agents.map((agent) => ({
    id: agent.id,
    state: fullName(agent),
    living: agent,
    problem: null,
    spentMicroUsd: agent.sums.attempts === 0 ? null : totalCost(agent.sums),
    wait: waitFor(agent),
    answerWith: questions.some((question) => question.agent === agent.id)
      ? answerAdvice({ id: run.id, questions }, { agent: agent.id }, program)
      : null,
    conversation: heldBy(run, agent, history),
  }));
}

function endedAgents(run: RunState, history: RunHistory | null): readonly AgentReport[] {
  const living = new Set(run.agents.map(({ id }) => id));
  const logged = [...(history?.agents ?? [])].flatMap(([id, { ended }]) => (ended ? id : []));
  const ended = [...new Set([...logged, ...Object.keys(run.results)])];
  return ended
    .filter((id) => !living.has(id))
    .map((id) => ({
      id,
      state: history?.agents.get(id)?.state ?? null,
      living: null,
      problem: history?.agents.get(id)?.problem ?? null,
      spentMicroUsd: paidBy(id, history),
      wait: null,
      answerWith: null,
      conversation: lastOf(run, id, history),
    }));
}

function paidBy(id: string, history: RunHistory | null): MicroUsd | null {
  const sums = history?.sums.get(id);
  return sums === undefined ? null : totalCost(sums);
}

/** Whether a person can open the conversations of a run by their ids, with its client. */
export function isOpenedByHand({ backend }: Pick<RunState, "backend">): boolean {
  return backend === "claude";
}

/** The state file knows the conversation of a living agent also where the log does not. */
function heldBy(run: RunState, agent: Agent, history: RunHistory | null): Conversation | null {
  if (!isOpenedByHand(run)) return null;
  const { session: of, cwd } = agent;
  const session = runningOf(agent)?.accepted === true ? of.id : conversationOf(of);
  if (session === null) return lastOf(run, agent.id, history);
  const known = [...(history?.conversations.values() ?? [])].flat();
  const logged = known.find((one) => one.session === session);
  const context = run.contexts[session] ?? logged?.context ?? null;
  return { session, cwd: logged?.cwd ?? cwd ?? run.launchDir, context };
}

function lastOf(run: RunState, id: string, history: RunHistory | null): Conversation | null {
  if (!isOpenedByHand(run)) return null;
  return history?.conversations.get(id)?.at(-1) ?? null;
}
