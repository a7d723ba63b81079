import { parseNumberOf } from "../../config/flags.ts";
import { firstStep } from "../../core/machine/run-state.ts";
import { localMoment } from "../../observers/local-time.ts";
import { printable } from "../../observers/printable.ts";
import { detailJson, timelineJson } from "../../runs/json/step-json.ts";
import { show, showStep, type Timeline } from "../../runs/show.ts";
import type { WantedAgents } from "../../runs/wake.ts";
import { heldWords } from "../held-words.ts";
import { formatStep } from "../history/step-page.ts";
import { formatTimeline } from "../history/timeline.ts";
import { damageWords, unreadableWords } from "../history/unreadable.ts";
import { printJson } from "../output.ts";
import type { Shell } from "../shell.ts";

interface ShowCommandOptions extends WantedAgents {
  readonly step?: string;
  readonly limit?: string;
  readonly before?: string;
  readonly json?: true;
}

/** `raymond show`: the steps of a run, or one of them whole. */
export async function showCommand(options: ShowCommandOptions, shell: Shell): Promise<void> {
  const { step, limit, before, json, ...wanted } = options;
  if (step !== undefined) {
    const detail = await showStep({ ...wanted, step: parseNumberOf("--step", step) }, shell);
    for (const line of damageWords(detail)) shell.err.line(line);
    if (json === true) printJson(shell.out, detailJson(detail));
    else for (const line of formatStep(detail, shell.now())) shell.out.line(line);
    return;
  }
  const timeline = await show(
    {
      ...wanted,
      limit: limitOf(limit),
      before: before === undefined ? undefined : parseNumberOf("--before", before),
    },
    shell,
  );
  for (const line of damageWords(timeline)) shell.err.line(line);
  if (json === true) {
    printJson(shell.out, timelineJson(timeline));
    return;
  }
  const now = shell.now();
  const moment = (ms: number) => localMoment(ms, now);
  for (const line of formatTimeline(timeline, moment, shell.outColumns)) {
    shell.out.line(printable(line));
  }
  for (const line of hints(timeline, wanted)) shell.err.line(line);
}

/** So many fit on a screen. */
const USUAL = 50;

function limitOf(limit: string | undefined): number {
  const count = limit === undefined ? USUAL : parseNumberOf("--limit", limit);
  return count === 0 ? Number.POSITIVE_INFINITY : count;
}

function hints(
  { run, steps, program, unreadable, heldUp = [] }: Timeline,
  { agent }: WantedAgents,
): readonly string[] {
  const first = steps[0]?.started.event.process;
  const whose = agent === undefined ? "" : ` --agent ${agent}`;
  return [
    ...(first === undefined
      ? [run.processes === 0 ? "It has begun no step yet." : "There are no such steps."]
      : []),
    ...heldWords(run.id, heldUp, program),
    ...(first === undefined || first <= firstStep(run)
      ? []
      : [`What was before: ${program} show ${run.id}${whose} --before ${String(first)}`]),
    ...(unreadable === 0 ? [] : [unreadableWords(unreadable)]),
  ];
}
