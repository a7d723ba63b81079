import { existsSync } from "node:fs";
import { allowFlag } from "../console/allow-flag.ts";
import { answerAdvice, resumeAdvice } from "../console/summary.ts";
import type { Answers } from "../engine/ports/answers.ts";
import { isSimulated } from "../engine/ports/backend.ts";
import type { OrphanProcess } from "../engine/ports/orphans.ts";
import type { Remedy } from "../engine/ports/store.ts";
import type { MicroUsd } from "../language/basics/money.ts";
import { fullName } from "../language/protocol/address.ts";
import type { Conversation, RunHistory } from "../log/event-history.ts";
import { runningOf } from "../machine/model/activity.ts";
import { type Agent, conversationOf } from "../machine/model/agent.ts";
import type { AgentWait } from "../machine/model/agent-wait.ts";
import type { Answer } from "../machine/model/answer.ts";
import { ownerOf } from "../machine/model/owners.ts";
import type { RunState } from "../machine/model/run-state.ts";
import { totalCost } from "../machine/model/totals.ts";
import { type Question, questionsOf } from "../machine/moves/question.ts";
import { waitsOf } from "../machine/waits/waits.ts";
import type { Caller } from "../wire/caller.ts";
import { type LeftWorktree, leftWorktrees } from "./files/left-worktrees.ts";
import type { RunView } from "./run-view.ts";

/** A run with facts from outside its files. */
export interface RunFacts
  extends Pick<RunView, "run" | "status" | "holder" | "history" | "waitReasons" | "program"> {
  /** Orphan processes of a run without a holder. */
  readonly leftovers: readonly OrphanProcess[];
  /** Stored answers that the run has not received yet. */
  readonly answers: readonly Answer[];
  /** Folder of its debug files; null without any. */
  readonly debug: string | null;
  /** Existing worktrees of a run without a holder; absent: unknown. */
  readonly worktrees?: readonly LeftWorktree[] | undefined;
  readonly now: number;
}

/** The read model of a run: `status`, `why`, `report` and the dashboard show parts of it. */
export interface Report extends RunFacts {
  /** Epoch ms; null while a process holds the run, or a worker is about to claim it. */
  readonly stoppedAt: number | null;
  /** Time in which at least one step ran, ms; null: unknown. */
  readonly workedMs: number | null;
  readonly agents: readonly AgentReport[];
  /** The flag that allows the denied tools. */
  readonly allow: string | null;
  /** The command that resumes it; null while it is in progress, and when it is complete. */
  readonly next: string | null;
  /** How a person can release a queued run. */
  readonly ways: readonly Remedy[];
}

export interface AgentReport {
  readonly id: string;
  /** Its current or last state; null: unknown. */
  readonly state: string | null;
  /** Null for an ended agent. */
  readonly living: Agent | null;
  /** The failure that ended it and was reported to its parent. */
  readonly problem: string | null;
  /** With estimates. Null before its first attempt has ended, and for ended agents without a log. */
  readonly spentMicroUsd: MicroUsd | null;
  readonly wait: AgentWait | null;
  /** The command that answers its open question. */
  readonly answerWith: string | null;
  readonly conversation: Conversation | null;
}

export async function report(view: RunView, caller: Caller): Promise<Report> {
  const { now, system } = caller;
  const { run, store, status, holder, history, waitReasons, program, artifacts } = view;
  const { debug, groups } = artifacts;
  const { processes } = await system();
  // None if the platform cannot list processes.
  const orphans = async () => processes.orphans(groups).find(run.token);
  const leftovers = holder === null ? await orphans().catch(() => []) : [];
  return reportOf({
    ...{ run, status, holder, history, waitReasons, program, leftovers },
    debug: existsSync(debug) ? debug : null,
    worktrees: holder === null ? await leftWorktrees(run, caller).catch(() => []) : undefined,
    answers: await findAnswers(questionsOf(run), await store.answers(run.id)),
    now: now(),
  });
}

/** The stored answers to these questions that are readable. */
export async function findAnswers(
  questions: readonly Question[],
  answers: Pick<Answers, "find">,
): Promise<readonly Answer[]> {
  const found = await Promise.all(
    questions.map((question) => answers.find(question).catch(() => null)),
  );
  return found.flatMap((each) => (each?.kind === "answer" ? each : []));
}

export function reportOf(facts: RunFacts): Report {
  const { run, status, holder, history, program } = facts;
  const inProgress = IN_PROGRESS.has(status);
  const ways = waysOf(facts);
  const agents = [...livingAgents(facts), ...endedAgents(run, history)];
  return {
    ...facts,
    stoppedAt:
      holder === null && status !== "queued"
        ? Date.parse(history?.endedAt ?? history?.until ?? run.updatedAt)
        : null,
    workedMs: history === null ? null : history.workedMs + unloggedMs(facts),
    agents,
    allow: allowFlag(run.denied ?? [], run.settings),
    next: inProgress ? (ways[0]?.command ?? null) : nextCommand(run, agents, program),
    ways,
  };
}

/** A process drives it, or is about to. */
const IN_PROGRESS: ReadonlySet<Report["status"]> = new Set([
  ...(["running", "waiting", "stopping", "held", "queued"] as const),
]);

function waysOf({ status, waitReasons, program }: RunFacts): readonly Remedy[] {
  if (status !== "queued") return [];
  const ways = waitReasons.flatMap((each) => each.remedies ?? []);
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

/** Time of the step in progress that the log does not contain yet. */
function unloggedMs({ holder, history, now }: RunFacts): number {
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
    conversation: currentConversation(run, agent, history),
  }));
}

function endedAgents(run: RunState, history: RunHistory | null): readonly AgentReport[] {
  const living = new Set(run.agents.map(({ id }) => id));
  const logged = [...(history?.agents ?? [])].flatMap(([id, { ended }]) => (ended ? id : []));
  const ended = [...new Set([...logged, ...Object.keys(run.results)])];
  return ended
    .filter((id) => !living.has(id))
    .map((id) => {
      const agent = history?.agents.get(id);
      const sums = history?.sums.get(id);
      return {
        id,
        state: agent?.state ?? null,
        living: null,
        problem: agent?.problem ?? null,
        spentMicroUsd: sums === undefined ? null : totalCost(sums),
        wait: null,
        answerWith: null,
        conversation: lastConversation(run, id, history),
      };
    });
}

/** The state file contains the conversation of a living agent even if the log does not. */
function currentConversation(
  run: RunState,
  agent: Agent,
  history: RunHistory | null,
): Conversation | null {
  if (isSimulated(run.backend)) return null;
  const { session: of, cwd } = agent;
  const session = runningOf(agent)?.accepted === true ? of.id : conversationOf(of);
  if (session === null) return lastConversation(run, agent.id, history);
  const known = [...(history?.conversations.values() ?? [])].flat();
  const logged = known.find((one) => one.session === session);
  const context = run.contexts[session] ?? logged?.context ?? null;
  const backend = ownerOf(run, session);
  return { session, cwd: logged?.cwd ?? cwd ?? run.launchDir, context, backend };
}

function lastConversation(
  run: RunState,
  id: string,
  history: RunHistory | null,
): Conversation | null {
  if (isSimulated(run.backend)) return null;
  return history?.conversations.get(id)?.at(-1) ?? null;
}
