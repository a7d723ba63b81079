import { formatDuration } from "../../core/duration.ts";
import { formatContext } from "../../core/tokens.ts";
import { formatEvent } from "../../observers/format-event.ts";
import { cost } from "../../observers/format-step-end.ts";
import { isShown } from "../../observers/line.ts";
import { localMoment } from "../../observers/local-time.ts";
import type { LoggedStep } from "../../observers/logged-steps.ts";
import { cut } from "../../observers/printable.ts";
import type { Timeline } from "../../runs/show.ts";
import { type Alignment, formatTable } from "../table.ts";

/** The timeline as a table, a line for each step and what came of it; `width` is that of the terminal, null: nothing is cut. */
export function formatTimeline(
  { steps, running }: Timeline,
  now: number,
  width: number | null,
): readonly string[] {
  const rows = steps.map((step) => row(step, running.has(numberOf(step)), now));
  const lines = formatTable([HEADINGS, ...rows], ALIGNMENTS);
  return width === null ? lines : lines.map((line) => cut(line, width));
}

/** How it ended, in words: `2s`, `ended badly after 2s`, `runs`, `was cut off`. */
export function tookWords({ ended }: LoggedStep, isRunning: boolean): string {
  if (ended === null) return isRunning ? "runs" : "was cut off";
  const { ok, failure, durationMs } = ended.event;
  return `${formatDuration(durationMs)}${ok ? "" : ` (${failure ?? "failed"})`}`;
}

/** The state, with what was sent there in its place: `REVIEW.md (reminder), attempt 2`. */
export function stateWords({ started }: LoggedStep): string {
  return formatEvent(started.event)[0]?.text ?? started.event.state;
}

/** What came of it, as the console has said it. */
export function afterWords({ after }: LoggedStep): readonly string[] {
  return after.flatMap(({ event }) =>
    formatEvent(event)
      .filter((line) => isShown(line, "normal"))
      .map(({ text }) => text),
  );
}

const HEADINGS = ["step", "at", "agent", "state", "took", "cost", "context", ""] as const;
const ALIGNMENTS: readonly Alignment[] = [
  ...(["right", "left", "left", "left"] as const),
  ...(["right", "right", "left", "left"] as const),
];

function numberOf({ started }: LoggedStep): number {
  return started.event.process;
}

function row(step: LoggedStep, isRunning: boolean, now: number): readonly string[] {
  const { started, ended } = step;
  const of = ended?.event;
  const context = of?.context ?? null;
  return [
    String(numberOf(step)),
    localMoment(started.at, now),
    started.event.agent,
    stateWords(step),
    tookWords(step, isRunning),
    of?.kind === "prompt" ? cost(of.costMicroUsd, of.estimatedMicroUsd) : "",
    context === null ? "" : formatContext(context),
    step.after
      .flatMap(({ event }) => formatEvent(event)[0]?.text ?? [])
      .map((text) => cut(text, MOST_SHOWN))
      .join("; "),
  ];
}

/** Characters of one thing that came of a step. */
const MOST_SHOWN = 120;
