import { formatActor } from "../../console/format/format-actor.ts";
import { formatChanges } from "../../console/format/format-changes.ts";
import { formatEvent } from "../../console/format/format-event.ts";
import { cost } from "../../console/format/format-step-end.ts";
import { isShown } from "../../console/line.ts";
import type { Timeline } from "../../inspect/history/show.ts";
import { counted } from "../../language/basics/counted.ts";
import { formatDuration } from "../../language/basics/duration.ts";
import { formatContext } from "../../language/basics/tokens.ts";
import type { LoggedCommand } from "../../log/logged-commands.ts";
import type { LoggedStep } from "../../log/logged-steps.ts";
import { cut } from "../../log/printable.ts";
import { type Alignment, formatTable } from "../words/table.ts";

/**
 * A table of steps: a line for each step, and one for each further event that followed. `moment` formats the start time.
 * `width`: lines are cut to this width; null: not cut.
 */
export function formatTimeline(
  { steps, running }: Pick<Timeline, "steps" | "running">,
  moment: (ms: number) => string,
  width: number | null,
): readonly string[] {
  const rows = steps.flatMap((step) => {
    const [first = "", ...more] = followingWords(step);
    const own = [...stepRow(step, running, moment), first];
    return [own, ...more.map((text) => [...STEP_HEADINGS.slice(1).map(() => ""), text])];
  });
  const lines = formatTable([STEP_HEADINGS, ...rows], ALIGNMENTS);
  return width === null ? lines : lines.map((line) => cut(line, width));
}

/** The commands to a run: who started and controlled it. */
export function formatCommands(
  commands: readonly LoggedCommand[],
  moment: (ms: number) => string,
  width: number | null,
): readonly string[] {
  if (commands.length === 0) return [];
  const rows = commands.map(({ at, action, agent, actor, detail }) => [
    moment(Date.parse(at)),
    agent === null ? action : `${action} ${agent}`,
    formatActor(actor),
    detail === null ? "" : cut(detail, MOST_SHOWN),
  ]);
  const lines = formatTable(
    [COMMAND_HEADINGS, ...rows],
    COMMAND_HEADINGS.map(() => "left"),
  );
  return width === null ? lines : lines.map((line) => cut(line, width));
}

const COMMAND_HEADINGS = ["at", "command", "by", ""] as const;

/** The duration and the end of a step: `2s`, `2s (failed)`, `runs`, `was cut off`. */
export function tookWords({ ended }: LoggedStep, isRunning: boolean): string {
  if (ended === null) return isRunning ? "runs" : "was cut off";
  const { ok, failure, durationMs } = ended.event;
  return `${formatDuration(durationMs)}${ok ? "" : ` (${failure ?? "failed"})`}`;
}

/** The state with its delivery: `REVIEW.md (reminder), attempt 2`. */
export function stateWords({ started }: LoggedStep): string {
  return formatEvent(started.event)[0]?.text ?? started.event.state;
}

export function afterWords({ after }: LoggedStep): readonly string[] {
  return after.flatMap(({ event }) =>
    formatEvent(event)
      .filter((line) => isShown(line, "normal"))
      .map(({ text }) => text),
  );
}

/** The columns of {@link stepRow}, and one for {@link followingWords}. */
export const STEP_HEADINGS = [
  "step",
  "at",
  "agent",
  "state",
  "took",
  "cost",
  "context",
  "",
] as const;
const ALIGNMENTS: readonly Alignment[] = [
  ...(["right", "left", "left", "left"] as const),
  ...(["right", "right", "left", "left"] as const),
];

/** The cells of a step, without {@link followingWords}. `moment` formats the start time. */
export function stepRow(
  step: LoggedStep,
  running: ReadonlySet<number>,
  moment: (ms: number) => string,
): readonly string[] {
  const { started, ended } = step;
  const of = ended?.event;
  const context = of?.context ?? null;
  return [
    String(started.event.process),
    moment(started.at),
    started.event.agent,
    stateWords(step),
    tookWords(step, running.has(started.event.process)),
    of?.kind === "prompt" ? cost(of.costMicroUsd, of.estimatedMicroUsd) : "",
    context === null ? "" : formatContext(context),
  ];
}

/** The events that followed from a step, a line for each, at most {@link MOST_EVENTS}. */
export function followingWords({ ended, after }: LoggedStep): readonly string[] {
  const changes = ended?.event.changes;
  const changed =
    changes === undefined || changes.files === 0 ? [] : [`changed ${formatChanges(changes)}`];
  const texts = [...changed, ...after.flatMap(({ event }) => formatEvent(event)[0]?.text ?? [])]
    // A resume repeats the event of a wait.
    .filter((text, i, all) => text !== all[i - 1])
    .map((text) => cut(text, MOST_SHOWN));
  const left = texts.length - MOST_EVENTS;
  if (left <= 1) return texts;
  return [
    ...texts.slice(0, MOST_EVENTS),
    `… ${counted(left, "more event")}: show RUN STEP has them`,
  ];
}

const MOST_SHOWN = 120;
const MOST_EVENTS = 8;
