import { counted } from "../../core/counted.ts";
import { formatDuration } from "../../core/duration.ts";
import { knownSpend } from "../../core/machine/known-spend.ts";
import { inFlight } from "../../core/machine/roster.ts";
import type { RunState } from "../../core/machine/run-state.ts";
import { isLive } from "../../core/machine/stop.ts";
import { formatUsd } from "../../core/money.ts";
import { runTail } from "../../core/run-id.ts";
import type { Tone } from "../line.ts";
import { paint } from "../paint.ts";
import type { Style } from "../style.ts";
import { widthOf } from "./fitting.ts";

/** The run on one line: how it stands, spent of its budget, its steps and limits. Where it is narrow, less of it. */
export function runLine(run: RunState, columns: number, now: number, style: Style): string {
  const { maxSteps, maxParallel } = run.settings;
  const prompts = inFlight(run).filter(({ activity }) => activity.kind === "prompt").length;
  const stands = run.stopReason !== null && isLive(run) ? "stopping" : run.status;
  const age = formatDuration(
    Math.floor(Math.max(0, now - Date.parse(run.startedAt)) / 1_000) * 1_000,
  );
  const steps = counted(maxSteps ?? run.steps, "step");
  /** In the order in which they are shown. */
  const parts: readonly Part[] = [
    part(0, stands, stands === "running" ? "good" : "warning"),
    ...money(run),
    part(3, maxSteps === null ? steps : `${String(run.steps)} of ${steps}`),
    part(2, `${age} in all`, "plain", age),
    part(5, counted(run.agents.length, "agent")),
    ...(prompts === 0 ? [] : [part(6, `${String(prompts)} of ${counted(maxParallel, "prompt")}`)]),
    part(7, runTail(run.id) ?? run.id, "dim"),
  ];
  const shown = fitting(parts, columns);
  return shown.map(({ text, tone }) => paint(tone, text, style)).join(GAP);
}

interface Part {
  /** The lower, the sooner there is room for it. */
  readonly rank: number;
  readonly text: string;
  readonly tone: Tone;
  /** What stands in its place where that is too long; null: nothing. */
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

/** Shares of the budget from which on the bar warns. */
const NEAR = 0.8;
const ALMOST = 0.95;

/** Those for which there is room, the most important first, in the order in which they are shown. */
function fitting(parts: readonly Part[], columns: number): readonly Part[] {
  const chosen = new Map<Part, Part>();
  let left = columns + GAP.length;
  for (const wanted of parts.toSorted((one, other) => one.rank - other.rank)) {
    const text = [wanted.text, wanted.short].find(
      (each) => each !== null && widthOf(each) + GAP.length <= left,
    );
    if (text == null) continue;
    left -= widthOf(text) + GAP.length;
    chosen.set(wanted, { ...wanted, text });
  }
  return parts.flatMap((each) => chosen.get(each) ?? []);
}
