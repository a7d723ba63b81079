import type { Command } from "commander";
import { parseCount } from "../../../config/flags.ts";
import { localMoment } from "../../../console/local-time.ts";
import { show, showStep, type Timeline } from "../../../inspect/history/show.ts";
import { detailJson, timelineJson } from "../../../inspect/json/step-json.ts";
import { printable } from "../../../log/printable.ts";
import { firstStep } from "../../../machine/model/run-state.ts";
import type { WantedAgents } from "../../../wire/stores.ts";
import { formatStep } from "../../history/step-page.ts";
import { formatCommands, formatTimeline } from "../../history/timeline.ts";
import { printJson } from "../../output.ts";
import { actionOnRuns, JSON_OBJECT, runArgument, runSelection } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { damageWords, heldWords, unreadableWords } from "../../words/words.ts";

export function define(command: Command, shell: Shell): void {
  runArgument(command)
    .argument("[step]", "Show everything about this step, by its number")
    .option("--agent <agent>", "Only steps of this agent")
    .option("--limit <n>", "Maximum number of steps, the last ones; 0 for all (default: 50)")
    .option("--before <number>", "Only steps before this one")
    .option(...JSON_OBJECT);
  runSelection(command).action(actionOnRuns(shell, showCommand));
}

interface ShowCommandOptions extends WantedAgents {
  readonly step?: string;
  readonly limit?: string;
  readonly before?: string;
  readonly json?: true;
}

/** A single number is a step of the latest run. */
function withStep(options: ShowCommandOptions): ShowCommandOptions {
  const { run, step } = options;
  if (step !== undefined || !/^\d{1,9}$/.test(run)) return options;
  return { ...options, run: "latest", step: run };
}

export async function showCommand(options: ShowCommandOptions, shell: Shell): Promise<void> {
  const { step, limit, before, json, ...wanted } = withStep(options);
  if (step !== undefined) {
    const detail = await showStep({ ...wanted, step: parseCount("STEP", step) }, shell);
    for (const line of damageWords(detail)) shell.err.line(line);
    if (json === true) printJson(shell.out, detailJson(detail));
    else for (const line of formatStep(detail, shell.now())) shell.out.line(line);
    return;
  }
  const timeline = await show(
    {
      ...wanted,
      limit: limitOf(limit),
      before: before === undefined ? undefined : parseCount("--before", before),
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
  if (timeline.commands.length > 0) {
    shell.out.line("");
    for (const line of formatCommands(timeline.commands, moment, shell.outColumns)) {
      shell.out.line(printable(line));
    }
  }
  for (const line of hints(timeline, wanted)) shell.err.line(line);
}

const DEFAULT_LIMIT = 50;

function limitOf(limit: string | undefined): number {
  const count = limit === undefined ? DEFAULT_LIMIT : parseCount("--limit", limit);
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
      ? [run.processes === 0 ? "It has started no step yet." : "No such steps."]
      : []),
    ...heldWords(run.id, heldUp, program),
    ...(first === undefined || first <= firstStep(run)
      ? []
      : [`Earlier steps: ${program} show ${run.id}${whose} --before ${String(first)}`]),
    ...(unreadable === 0 ? [] : [unreadableWords(unreadable)]),
  ];
}
