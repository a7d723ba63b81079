import { formatDuration } from "../../core/duration.ts";
import { askedBy, errorOf, runningOf } from "../../core/machine/activity.ts";
import type { Agent } from "../../core/machine/agent.ts";
import type { AgentWait } from "../../core/machine/agent-wait.ts";
import { contextOf } from "../../core/machine/context.ts";
import { stepName } from "../../core/machine/gate.ts";
import type { RunState } from "../../core/machine/run-state.ts";
import { paid } from "../../core/machine/sums.ts";
import { waitsOf } from "../../core/machine/waits.ts";
import { formatUsd } from "../../core/money.ts";
import { formatShare, formatTokens } from "../../core/tokens.ts";
import { firstLine } from "../first-line.ts";
import { formatWait } from "../format-wait.ts";
import type { Tone } from "../line.ts";
import { paint } from "../paint.ts";
import type { Style } from "../style.ts";
import type { Doings } from "./doing.ts";
import { filled, fitted, widthOf } from "./fitting.ts";

/** One line an agent, the busiest where there is no room for all, and then a line that counts the others. */
export function agentRows(
  run: RunState,
  doings: Doings,
  { columns, rows: room }: { readonly columns: number; readonly rows: number },
  now: number,
  style: Style,
): readonly string[] {
  if (room <= 0 || run.agents.length === 0) return [];
  const fits = run.agents.length <= room;
  const chosen = fits ? run.agents : busiest(run.agents, room - 1);
  const shown = new Set(chosen);
  const waitOf = waitsOf(run, now);
  const cells = chosen.map((agent) => cellsOf(agent, run, waitOf(agent), doings, now));
  const others = run.agents.filter((agent) => !shown.has(agent));
  return [
    ...laidOut(cells, columns, style),
    ...(fits ? [] : [style.dim(fitted(`+ ${countOf(others, chosen.length > 0)}`, columns))]),
  ];
}

/** What an agent is about, as far as it decides who is shown: who needs a person first, then who works. */
const KINDS = ["ask", "run", "failed", "wait", "ready"] as const;
type Kind = (typeof KINDS)[number];

function kindOf(agent: Agent): Kind {
  if (askedBy(agent) !== null) return "ask";
  switch (agent.activity.type) {
    case "running":
      return "run";
    case "failed":
      return "failed";
    case "waiting":
      return "wait";
    case "ready":
      return "ready";
  }
}

/** In the order of their starts, so that lines keep their places. */
function busiest(agents: readonly Agent[], count: number): readonly Agent[] {
  const kept = new Set(
    KINDS.flatMap((kind) => agents.filter((each) => kindOf(each) === kind)).slice(0, count),
  );
  return agents.filter((agent) => kept.has(agent));
}

function countOf(agents: readonly Agent[], isMore: boolean): string {
  const parts = KINDS.flatMap((kind) => {
    const count = agents.filter((agent) => kindOf(agent) === kind).length;
    return count === 0 ? [] : `${String(count)} ${WORDS[kind]}`;
  });
  const noun = agents.length === 1 ? "agent" : "agents";
  return `${String(agents.length)} ${isMore ? "more " : ""}${noun}: ${parts.join(", ")}`;
}

const WORDS: { readonly [K in Kind]: string } = {
  ask: "asking",
  run: "running",
  failed: "failed",
  wait: "waiting",
  ready: "ready",
};

/** What stands in front of an agent: also without colour its kind is seen. */
const MARKS: { readonly [K in Kind]: readonly [mark: string, tone: Tone] } = {
  ask: ["?", "accent"],
  run: [">", "good"],
  failed: ["!", "error"],
  wait: ["~", "warning"],
  ready: [" ", "dim"],
};

interface Cells {
  readonly kind: Kind;
  readonly agent: string;
  readonly state: string;
  readonly time: string;
  readonly context: string;
  readonly cost: string;
  readonly what: string;
}

function cellsOf(
  agent: Agent,
  run: RunState,
  wait: AgentWait | null,
  doings: Doings,
  now: number,
): Cells {
  const running = runningOf(agent);
  const context = contextOf(run, agent.session);
  const cost = paid(agent.sums);
  return {
    kind: kindOf(agent),
    agent: agent.id,
    state: stepName(agent),
    time: running === null ? "" : formatDuration(wholeSeconds(now - Date.parse(running.startedAt))),
    context:
      context === null
        ? ""
        : (formatShare(context.tokens, context.window) ?? formatTokens(context.tokens)),
    cost: cost === 0 ? "" : formatUsd(cost),
    what: whatOf(agent, wait, doings, now),
  };
}

function whatOf(agent: Agent, wait: AgentWait | null, doings: Doings, now: number): string {
  const running = runningOf(agent);
  if (running !== null) return doings.get(agent.id) ?? running.kind;
  const error = errorOf(agent);
  if (error !== null) return `failed: ${firstLine(error.message)}`;
  if (wait === null) return "ready";
  const until = "until" in wait ? wait.until : null;
  const left = until === null ? "" : `${formatDuration(wholeSeconds(until - now))} left: `;
  return `${left}${formatWait(wait)}`;
}

/** A countdown that shows its last second is not over yet. */
function wholeSeconds(ms: number): number {
  return Math.max(0, Math.ceil(ms / 1_000)) * 1_000;
}

/** What is left away where the terminal is narrow, in this order. */
const LESS = [
  [],
  ["context"],
  ["context", "cost"],
  ["context", "cost", "state"],
  ["context", "cost", "state", "time"],
] as const;
const COLUMNS = ["agent", "state", "time", "context", "cost"] as const;
type Column = (typeof COLUMNS)[number];

const WIDEST: { readonly [C in Column]: number } = {
  agent: 24,
  state: 24,
  time: 8,
  context: 6,
  cost: 10,
};
/** What an agent does gets as many columns as this before anything else does. */
const LEAST_WHAT = 24;
const GAP = 2;

function laidOut(rows: readonly Cells[], columns: number, style: Style): readonly string[] {
  const widths = new Map(
    COLUMNS.map((column) => [
      column,
      Math.min(WIDEST[column], Math.max(...rows.map((row) => widthOf(row[column])))),
    ]),
  );
  const kept = (without: readonly Column[]) =>
    COLUMNS.filter((column) => !without.includes(column) && (widths.get(column) ?? 0) > 0);
  const taken = (some: readonly Column[]) =>
    some.reduce((sum, column) => sum + (widths.get(column) ?? 0) + GAP, 2);
  const shown = LESS.map(kept).find((some) => columns - taken(some) >= LEAST_WHAT) ?? kept(LESS[4]);
  // Of a name that is long for so few columns the beginning is shown.
  const name = Math.min(widths.get("agent") ?? 0, Math.max(4, Math.floor(columns / 2) - 2));
  return rows.map((row) => {
    const [mark, tone] = MARKS[row.kind];
    const cells = shown.map((column) => {
      const width = column === "agent" ? name : (widths.get(column) ?? 0);
      const text = filled(row[column], width);
      return paint(column === "agent" ? tone : "dim", text, style);
    });
    const room =
      columns -
      2 -
      shown.reduce(
        (sum, column) => sum + GAP + (column === "agent" ? name : (widths.get(column) ?? 0)),
        0,
      );
    const what = fitted(row.what, room);
    return `${paint(tone, mark, style)} ${[...cells, row.kind === "ready" ? style.dim(what) : what].join(" ".repeat(GAP))}`;
  });
}
