import { formatDuration } from "../../language/basics/duration.ts";
import { formatUsd } from "../../language/basics/money.ts";
import { formatShare, formatTokens } from "../../language/basics/tokens.ts";
import { errorOf, pendingQuestionOf, runningOf } from "../../machine/model/activity.ts";
import type { Agent } from "../../machine/model/agent.ts";
import type { AgentWait } from "../../machine/model/agent-wait.ts";
import { stepName } from "../../machine/model/gate.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import { totalCost } from "../../machine/model/totals.ts";
import { contextOf } from "../../machine/spend/context.ts";
import { waitsOf } from "../../machine/waits/waits.ts";
import { firstLine } from "../format/first-line.ts";
import { formatWait } from "../format/format-wait.ts";
import { paint, type Style } from "../style.ts";
import type { Activities } from "./activities.ts";
import { padToWidth, truncateToWidth, widthOf } from "./text-width.ts";

/** One line per agent. If there is no room for all: the most important ones, and a line that counts the others. */
export function agentRows(
  run: RunState,
  activities: Activities,
  { columns, rows: room }: { readonly columns: number; readonly rows: number },
  now: number,
  style: Style,
): readonly string[] {
  if (room <= 0 || run.agents.length === 0) return [];
  const fits = run.agents.length <= room;
  const chosen = fits ? run.agents : mostImportant(run.agents, room - 1);
  const shown = new Set(chosen);
  const waitOf = waitsOf(run, now);
  const cells = chosen.map((agent) => cellsOf(agent, run, waitOf(agent), activities, now));
  const others = run.agents.filter((agent) => !shown.has(agent));
  return [
    ...layOut(cells, columns, style),
    ...(fits
      ? []
      : [style.dim(truncateToWidth(`+ ${countOf(others, chosen.length > 0)}`, columns))]),
  ];
}

/** Kinds of agents, most important first: the word for their number, and a mark, which shows the kind without color. */
const KINDS = {
  ask: { word: "asking", mark: "?", tone: "accent" },
  run: { word: "running", mark: ">", tone: "good" },
  failed: { word: "failed", mark: "!", tone: "error" },
  wait: { word: "waiting", mark: "~", tone: "warning" },
  ready: { word: "ready", mark: " ", tone: "dim" },
} as const;
type Kind = keyof typeof KINDS;

function kindOf(agent: Agent): Kind {
  if (pendingQuestionOf(agent) !== null) return "ask";
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

/** In start order, so that rows keep their positions. */
function mostImportant(agents: readonly Agent[], count: number): readonly Agent[] {
  const kept = new Set(
    Object.keys(KINDS)
      .flatMap((kind) => agents.filter((each) => kindOf(each) === kind))
      .slice(0, count),
  );
  return agents.filter((agent) => kept.has(agent));
}

function countOf(agents: readonly Agent[], isMore: boolean): string {
  const parts = Object.entries(KINDS).flatMap(([kind, { word }]) => {
    const count = agents.filter((agent) => kindOf(agent) === kind).length;
    return count === 0 ? [] : `${String(count)} ${word}`;
  });
  const noun = agents.length === 1 ? "agent" : "agents";
  return `${String(agents.length)} ${isMore ? "more " : ""}${noun}: ${parts.join(", ")}`;
}

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
  activities: Activities,
  now: number,
): Cells {
  const running = runningOf(agent);
  const context = contextOf(run, agent.session);
  const cost = totalCost(agent.sums);
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
    what: whatOf(agent, wait, activities, now),
  };
}

function whatOf(agent: Agent, wait: AgentWait | null, activities: Activities, now: number): string {
  const running = runningOf(agent);
  if (running !== null) return activities.get(agent.id) ?? running.kind;
  const error = errorOf(agent);
  if (error !== null) return `failed: ${firstLine(error.message)}`;
  if (wait === null) return "ready";
  const until = "until" in wait ? wait.until : null;
  const left = until === null ? "" : `${formatDuration(wholeSeconds(until - now))} left: `;
  return `${left}${formatWait(wait)}`;
}

/** Rounded up: a countdown that is not over shows at least 1 s. */
function wholeSeconds(ms: number): number {
  return Math.max(0, Math.ceil(ms / 1_000)) * 1_000;
}

/** Columns that a narrow terminal leaves out, in this order. */
const OMITTED = [
  [],
  ["context"],
  ["context", "cost"],
  ["context", "cost", "state"],
  ["context", "cost", "state", "time"],
] as const;
const COLUMNS = ["agent", "state", "time", "context", "cost"] as const;
type Column = (typeof COLUMNS)[number];

const MAX_WIDTH: { readonly [C in Column]: number } = {
  agent: 24,
  state: 24,
  time: 8,
  context: 6,
  cost: 10,
};
const MIN_ACTIVITY = 24;
const GAP = 2;

function layOut(rows: readonly Cells[], columns: number, style: Style): readonly string[] {
  const widths = new Map(
    COLUMNS.map((column) => [
      column,
      Math.min(MAX_WIDTH[column], Math.max(...rows.map((row) => widthOf(row[column])))),
    ]),
  );
  const kept = (without: readonly Column[]) =>
    COLUMNS.filter((column) => !without.includes(column) && (widths.get(column) ?? 0) > 0);
  const usedWidth = (some: readonly Column[]) =>
    some.reduce((sum, column) => sum + (widths.get(column) ?? 0) + GAP, 2);
  const shown =
    OMITTED.map(kept).find((some) => columns - usedWidth(some) >= MIN_ACTIVITY) ?? kept(OMITTED[4]);
  // A long name is cut in a narrow terminal.
  const most = Math.max(4, Math.floor(columns / 2) - 2);
  widths.set("agent", Math.min(widths.get("agent") ?? 0, most));
  return rows.map((row) => {
    const { mark, tone } = KINDS[row.kind];
    const cells = shown.map((column) => {
      const text = padToWidth(row[column], widths.get(column) ?? 0);
      return paint(column === "agent" ? tone : "dim", text, style);
    });
    const what = truncateToWidth(row.what, columns - usedWidth(shown));
    return `${paint(tone, mark, style)} ${[...cells, row.kind === "ready" ? style.dim(what) : what].join(" ".repeat(GAP))}`;
  });
}
