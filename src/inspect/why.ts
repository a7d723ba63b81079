import { allowFlag } from "../console/allow-flag.ts";
import { formatEvent } from "../console/format/format-event.ts";
import { isShown } from "../console/line.ts";
import { takeOverAdvice } from "../console/summary.ts";
import { type LoggedStep, readSteps } from "../log/logged-steps.ts";
import type { AgentId } from "../machine/model/agent.ts";
import type { Denial } from "../machine/model/denial.ts";
import type { Event } from "../machine/model/event.ts";
import type { RunState } from "../machine/model/run-state.ts";
import { type Caller, thisProcess } from "../wire/caller.ts";
import type { WantedAgents } from "../wire/stores.ts";
import { inspectErrors } from "./errors.ts";
import { failureFile } from "./history/show.ts";
import { type AgentReport, type Report, report } from "./report.ts";
import { type RunView, readRun } from "./run-view.ts";

/** Why a run, or an agent of it, is waiting or has failed. */
export interface Why {
  readonly report: Report;
  /** The agents that explain it, most relevant first; none for a completed run. */
  readonly agents: readonly AgentWhy[];
  /** Number of further agents that explain it. */
  readonly more: number;
  /** Number of further agents that are queued for `--max-parallel`. */
  readonly alike: number;
  /** The commands that continue it, first one first; none if it continues automatically. */
  readonly next: readonly string[];
  /** The commands that set the results of failed agents. */
  readonly setWith: readonly string[];
  /** The flag that allows the tools denied in the last steps of failed agents; null without any. */
  readonly allow: string | null;
}

export interface AgentWhy {
  readonly agent: AgentReport;
  /** The workers that its join waits for. */
  readonly missing: readonly AgentId[];
  /** Its last step in the event log; null without one. */
  readonly evidence: Evidence | null;
}

export interface Evidence {
  readonly step: number;
  /** Its last lines on the console. */
  readonly lines: readonly string[];
  readonly denied: readonly Denial[];
  /** The most useful debug file; null if none is left. */
  readonly debug: string | null;
}

/** Reads only. Rejects with a RaymondError if there is no such run or agent. */
export async function why(wanted: WantedAgents, caller: Caller = thisProcess()): Promise<Why> {
  return whyOf(await readRun(wanted, caller), wanted.agent, caller);
}

export async function whyOf(
  view: RunView,
  named: AgentId | undefined,
  caller: Caller,
): Promise<Why> {
  const reported = await report(view, caller);
  const everyone = relevantAgents(reported, named);
  const queue = everyone.filter(({ wait }) => wait?.kind === "place");
  // One agent represents all that are queued.
  const alike = named === undefined ? queue.slice(1) : [];
  const all = everyone.filter((agent) => !alike.includes(agent));
  const shown = all.slice(0, MOST_AGENTS);
  const { events, debug } = view.artifacts;
  const steps = lastSteps(events, shown);
  const agents = shown.map((agent): AgentWhy => {
    const step = steps.get(agent.id);
    return {
      agent,
      missing: missingOf(agent),
      evidence: step === undefined ? null : evidenceOf(step, debug),
    };
  });
  return {
    report: reported,
    agents,
    more: all.length - shown.length,
    alike: alike.length,
    next: commands(reported, agents),
    setWith: agents.flatMap((agent) => setCommand(agent, reported) ?? []),
    allow: deniedFlag(reported, agents),
  };
}

const MOST_AGENTS = 8;

/** The named agent and the agents that it waits for, or the agents that explain the run. */
function relevantAgents(source: Report, named: AgentId | undefined): readonly AgentReport[] {
  const { run, agents } = source;
  if (named !== undefined) {
    const agent = agents.find(({ id }) => id === named);
    if (agent === undefined) {
      const known = agents.map(({ id }) => id);
      throw inspectErrors["run/unknown-agent"](run.id, named, known);
    }
    const missing = missingOf(agent);
    return [agent, ...agents.filter(({ id }) => missing.includes(id))];
  }
  const living = agents.filter((agent) => agent.living !== null);
  return living.toSorted((a, b) => rank(a, source) - rank(b, source));
}

/**
 * Order: the cause, failed, asking, waiting for a time or limit, waiting for other agents, working.
 */
function rank({ id, living, wait }: AgentReport, { run }: Report): number {
  if (id === run.stopReason?.agent) return 0;
  if (living?.activity.type === "failed") return 1;
  if (wait === null) return 5;
  if (wait.kind === "answer") return 2;
  return wait.kind === "join" ? 4 : 3;
}

function missingOf({ living, wait }: AgentReport): readonly AgentId[] {
  if (living === null || wait?.kind !== "join") return [];
  return living.forked.flatMap(({ agent, end }) => (end === null ? agent : []));
}

/** The log may be gone. */
function lastSteps(log: string, agents: readonly AgentReport[]): ReadonlyMap<AgentId, LoggedStep> {
  const left = new Set(agents.map(({ id }) => id));
  const wants = (agent: AgentId) => left.delete(agent);
  if (left.size === 0) return new Map();
  try {
    const { steps } = readSteps(log, { matches: wants, limit: left.size, withActivity: true });
    return new Map(steps.map((step) => [step.started.event.agent, step]));
  } catch {
    return new Map();
  }
}

function evidenceOf(step: LoggedStep, debug: string): Evidence {
  return {
    step: step.started.event.process,
    lines: lastLinesOf(step),
    denied: step.ended?.event.denials ?? [],
    debug: failureFile(step, debug),
  };
}

/**
 * One command resumes a run that no process drives. A run in progress may have one per waiting
 * agent.
 */
function commands({ run, status, next, ways, program }: Report, agents: readonly AgentWhy[]) {
  if (status === "held") return [takeOverAdvice(run, program)];
  if (status === "queued") return ways.map(({ command }) => command);
  if (next !== null) return [next];
  return [...new Set(agents.flatMap(({ agent }) => endingCommand(agent, run, program) ?? []))];
}

/** The command that ends the failed step of an agent with a result; null for other agents. */
function setCommand({ agent }: AgentWhy, { run, program }: Report): string | null {
  const { id, living } = agent;
  if (living?.activity.type !== "failed" || living.setResult !== null) return null;
  return `${program} set ${run.id} ${id} --result TEXT`;
}

function deniedFlag({ run }: Report, agents: readonly AgentWhy[]): string | null {
  const denied = agents
    .filter(({ agent }) => agent.living?.activity.type === "failed")
    .flatMap(({ evidence }) => evidence?.denied ?? []);
  const asked = (call: Denial) =>
    run.denied?.find(({ tool, input }) => tool === call.tool && input === call.input)?.asked;
  const calls = denied.map((call) => ({ ...call, asked: asked(call) }));
  return allowFlag(calls, run.settings);
}

/** The command that ends a wait of an agent; null if there is none. */
function endingCommand(
  { id: agent, wait, answerWith }: AgentReport,
  { id }: RunState,
  program: string,
): string | null {
  if (wait === null) return null;
  switch (wait.kind) {
    case "limit":
    case "retry":
      return `${program} retry ${id}`;
    case "delay":
      return `${program} retry ${id} ${agent}`;
    case "answer":
      return answerWith;
    case "opened":
    case "probe":
    case "join":
    case "place":
    case "steps":
    case "money":
      return null;
  }
}

/** The last console lines of a step, with the output of a script. */
function lastLinesOf({ activity: did, ended, after }: LoggedStep): readonly string[] {
  const events = [...did, ...(ended === null ? [] : [ended]), ...after].map(({ event }) => event);
  return events.slice(-MOST_EVENTS).flatMap(linesOf).slice(-MOST_LINES);
}

const MOST_EVENTS = 50;
const MOST_LINES = 8;

function linesOf(event: Event): readonly string[] {
  // The sentence before these lines already reports them.
  if (REPORTED.has(event.type)) return [];
  const detail = event.type === "step.output" ? "verbose" : "normal";
  return formatEvent(event)
    .filter((shown) => isShown(shown, detail) && shown.text.trim() !== "")
    .map(({ text }) => text);
}

const REPORTED: ReadonlySet<Event["type"]> = new Set<Event["type"]>([
  "agent.failed",
  "agent.asked",
  "agent.waiting",
]);
