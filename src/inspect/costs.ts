import type { AgentId, SessionId } from "../machine/model/agent.ts";
import type { Context } from "../machine/model/spend.ts";
import { type Totals, totalCost } from "../machine/model/totals.ts";
import { sessionsOf } from "../machine/spend/baselines.ts";
import type { RunView } from "./run-view.ts";

/** The totals of a run, split by agent, state, model or coding agent. */
export interface CostTable {
  readonly noun: "agent" | "state" | "model" | "coding agent";
  /** Most expensive first. The last row has what no name is known for. */
  readonly rows: readonly CostRow[];
}

export interface CostRow {
  readonly name: string;
  readonly sums: Totals;
}

type Costs = Pick<RunView, "run" | "history">;

/**
 * Share of the input tokens that the provider read from its cache, 0 to 1; null without input. The
 * cache is lost when a conversation continues with another model or other tools (RAY605 in docs/lint.md).
 */
export function cacheShare({ tokens: { input, cacheRead, cacheWrite } }: Totals): number | null {
  const all = input + cacheRead + cacheWrite;
  return all === 0 ? null : cacheRead / all;
}

/** The same totals split by agent, by state, by model, and by coding agent if the run has used several. */
export function costsOf(view: Costs): readonly CostTable[] {
  const { sums, totals, backend } = view.run;
  const isAlone = Object.keys(sums.backends).every((name) => name === backend);
  return [
    { noun: "agent", rows: rowsOf(sumsByAgent(view), totals, "(others)") },
    { noun: "state", rows: rowsOf(sums.states, totals, "(others)") },
    { noun: "model", rows: rowsOf(sums.models, totals, "(scripts)") },
    ...(isAlone
      ? []
      : [{ noun: "coding agent" as const, rows: rowsOf(sums.backends, totals, "(scripts)") }]),
  ];
}

/**
 * Totals of each agent. The state file has those of living agents, and of a single agent; the event
 * log those of ended agents.
 */
export function sumsByAgent(view: Costs): Readonly<Record<AgentId, Totals>> {
  const { agents, forkCounters, totals } = view.run;
  const alone = !("main" in forkCounters) && agents.every(({ id }) => id === "main");
  if (alone && totals.attempts > 0) return { main: totals };
  const living = agents.filter(({ sums }) => sums.attempts > 0);
  const own = living.map(({ id, sums }) => [id, sums] as const);
  return { ...Object.fromEntries(view.history?.sums ?? []), ...Object.fromEntries(own) };
}

function rowsOf(
  named: Readonly<Record<string, Totals>>,
  total: Totals,
  rest: string,
): readonly CostRow[] {
  const rows = Object.entries(named).map(([name, sums]) => ({ name, sums }));
  const others = rows.reduce((left, { sums }) => subtract(left, sums), total);
  return [
    ...rows.toSorted((a, b) => totalCost(b.sums) - totalCost(a.sums) || (a.name < b.name ? -1 : 1)),
    ...(others.attempts > 0 ? [{ name: rest, sums: others }] : []),
  ];
}

function subtract(left: Totals, part: Totals): Totals {
  return {
    attempts: left.attempts - part.attempts,
    costMicroUsd: left.costMicroUsd - part.costMicroUsd,
    estimatedMicroUsd: left.estimatedMicroUsd - part.estimatedMicroUsd,
    tokens: {
      input: left.tokens.input - part.tokens.input,
      output: left.tokens.output - part.tokens.output,
      cacheRead: left.tokens.cacheRead - part.tokens.cacheRead,
      cacheWrite: left.tokens.cacheWrite - part.tokens.cacheWrite,
    },
    durationMs: left.durationMs - part.durationMs,
  };
}

/** How full the conversation of an agent is. */
export interface ConversationContext {
  readonly agent: AgentId;
  readonly session: SessionId;
  readonly context: Context;
}

/**
 * The context of each conversation, largest first. The state file has those of living agents; the
 * event log all others.
 */
export function contextsOf({ run, history }: Costs): readonly ConversationContext[] {
  const living = run.agents.flatMap((agent) =>
    sessionsOf(agent).map((session) => ({ agent: agent.id, session, context: null })),
  );
  const logged = [...(history?.conversations ?? [])].flatMap(([agent, held]) =>
    held.map(({ session, context }) => ({ agent, session, context })),
  );
  const found = new Map<SessionId, ConversationContext>();
  for (const { agent, session, context: known } of [...logged, ...living]) {
    const context = run.contexts[session] ?? known;
    if (context !== null && !found.has(session)) found.set(session, { agent, session, context });
  }
  return [...found.values()].toSorted((a, b) => b.context.tokens - a.context.tokens);
}
