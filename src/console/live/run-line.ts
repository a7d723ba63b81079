import { counted } from "../../language/basics/counted.ts";
import { formatDuration } from "../../language/basics/duration.ts";
import { formatUsd } from "../../language/basics/money.ts";
import { inFlight } from "../../machine/model/roster.ts";
import { runTail } from "../../machine/model/run-id.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import { isLive } from "../../machine/moves/stop.ts";
import { knownSpend } from "../../machine/spend/known-spend.ts";
import type { Tone } from "../line.ts";
import { paint, type Style } from "../style.ts";
import { widthOf } from "./text-width.ts";

/** The run on one line: status, budget, steps, limits. A narrow terminal shows fewer parts. */
export function runLine(run: RunState, columns: number, now: number, style: Style): string {
  const { maxSteps, maxParallel } = run.settings;
  const prompts = inFlight(run).filter(({ activity }) => activity.kind === "prompt").length;
  const status = run.stopReason !== null && isLive(run) ? "stopping" : run.status;
  const age = formatDuration(
    Math.floor(Math.max(0, now - Date.parse(run.startedAt)) / 1_000) * 1_000,
  );
  const steps = counted(maxSteps ?? run.steps, "step");
  /** In display order. */
  const parts: readonly Part[] = [
    part(0, status, status === "running" ? "good" : "warning"),
    ...money(run),
    part(3, maxSteps === null ? steps : `${String(run.steps)} of ${steps}`),
    part(2, `${age} total`, "plain", age),
    part(5, counted(run.agents.length, "agent")),
    ...(prompts === 0 ? [] : [part(6, `${String(prompts)} of ${counted(maxParallel, "prompt")}`)]),
    part(7, runTail(run.id) ?? run.id, "dim"),
  ];
  const shown = fitting(parts, columns);
  return shown.map(({ text, tone }) => paint(tone, text, style)).join(GAP);
}

interface Part {
  /** Lower ranks are shown first if space is short. */
  readonly rank: number;
  readonly text: string;
  readonly tone: Tone;
  /** Shorter form; null: none. */
  readonly short: string | null;
}

function part(rank: number, text: string, tone: Tone = "plain", short: string | null = null): Part {
  return { rank, text, tone, short };
}

const GAP = "  ";
/** Columns of the bar, without its ends. */
const BAR = 20;

function money(run: RunState): readonly Part[] {
  const spent = knownSpend(run);
  const { budgetMicroUsd: budget } = run.settings;
  if (budget === null) return [part(1, formatUsd(spent))];
  const share = budget === 0 ? 1 : Math.min(1, spent / budget);
  const tone = share >= ALMOST ? "error" : share >= NEAR ? "warning" : "good";
  const full = Math.round(BAR * share);
  return [
    part(1, `${formatUsd(spent)} of ${formatUsd(budget)}`, "plain", formatUsd(spent)),
    part(4, `[${"=".repeat(full)}${"-".repeat(BAR - full)}]`, tone),
  ];
}

/** Shares of the budget at which the bar changes color. */
const NEAR = 0.8;
const ALMOST = 0.95;

/** The most important parts that fit, in display order. */
function fitting(parts: readonly Part[], columns: number): readonly Part[] {
  const chosen = new Map<Part, Part>();
  let left = columns + GAP.length;
  for (const candidate of parts.toSorted((one, other) => one.rank - other.rank)) {
    const text = [candidate.text, candidate.short].find(
      (each) => each !== null && widthOf(each) + GAP.length <= left,
    );
    if (text == null) continue;
    left -= widthOf(text) + GAP.length;
    chosen.set(candidate, { ...candidate, text });
  }
  return parts.flatMap((each) => chosen.get(each) ?? []);
}
