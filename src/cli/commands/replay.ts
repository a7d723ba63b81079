import { counted } from "../../core/counted.ts";
import { formatUsd, toUsd } from "../../core/money.ts";
import { formatDecision } from "../../observers/format-decision.ts";
import { printable } from "../../observers/printable.ts";
import { type Departure, type Replay, type ReplayOptions, replay } from "../../runs/replay.ts";
import { diffTexts } from "../../runs/text-diff.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { printJson } from "../output.ts";
import type { Shell } from "../shell.ts";
import { inColour } from "../testing/text.ts";

interface Options extends ReplayOptions {
  readonly json?: true;
}

/** `raymond replay`: whether a run would go the same way by its workflow as it is now. Returns 1 where it departs. */
export async function replayCommand(options: Options, shell: Shell): Promise<ExitCode> {
  const replayed = await replay(options, shell);
  if (options.json === true) printJson(shell.out, replayJson(replayed));
  else for (const line of formatReplay(replayed)) shell.out.line(inColour(line, shell.style));
  return replayed.departure === null ? EXIT.completed : EXIT.failed;
}

/** Where it departs, and why; in all cases what would still be valid, and what is not known. */
export function formatReplay(replayed: Replay): readonly string[] {
  const { run, attempts, valid, costMicroUsd, validMicroUsd, departure, unknownPrompts } = replayed;
  const sums = `${String(valid)} of ${counted(attempts, "attempt")}, ${formatUsd(validMicroUsd)} of ${formatUsd(costMicroUsd)}`;
  const head =
    departure === null
      ? [
          `${run.id} would go the same way: all of ${counted(attempts, "attempt")}, ${formatUsd(costMicroUsd)}.`,
        ]
      : [
          `${run.id} departs in ${departure.state}: ${departure.agent}, process ${String(departure.process)}.`,
          ...whyOf(departure),
          `Valid until there: ${sums}.`,
        ];
  const unknown = `${counted(unknownPrompts, "prompt")} could not be compared: the run has not kept ${unknownPrompts === 1 ? "it" : "them"} (no debug files).`;
  const later = replayed.beginsLater === null ? [] : [`Not judged: ${replayed.beginsLater}.`];
  return [...head, ...(unknownPrompts === 0 ? [] : [unknown]), ...later].map(printable);
}

function whyOf({ why }: Departure): readonly string[] {
  switch (why.kind) {
    case "prompt":
      return [
        "The prompt is another (- recorded, + now):",
        ...diffTexts(why.recorded, why.now).map((line) => `  ${line}`),
      ];
    case "decision":
      return [
        "The same outcome leads elsewhere (- recorded, + now):",
        `  - ${formatDecision(why.recorded)}`,
        `  + ${formatDecision(why.now)}`,
      ];
  }
}

function replayJson(replayed: Replay): object {
  const { run, attempts, valid, costMicroUsd, validMicroUsd, departure, unknownPrompts } = replayed;
  return {
    workflow_id: run.id,
    same: departure === null,
    attempts,
    valid_attempts: valid,
    cost_usd: toUsd(costMicroUsd),
    valid_usd: toUsd(validMicroUsd),
    prompts_not_compared: unknownPrompts,
    not_judged: replayed.beginsLater,
    departure: departure === null ? null : departureJson(departure),
  };
}

function departureJson({ agent, state, process, why }: Departure): object {
  const words =
    why.kind === "prompt"
      ? { recorded: why.recorded, now: why.now }
      : { recorded: formatDecision(why.recorded), now: formatDecision(why.now) };
  return { agent, state, process, why: why.kind, ...words };
}
