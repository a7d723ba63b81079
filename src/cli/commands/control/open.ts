import type { Command } from "commander";
import { manualCost } from "../../../console/format/format-event.ts";
import { formatUsd } from "../../../language/basics/money.ts";
import { openErrors } from "../../../run/errors.ts";
import { type OpenedByHand, type OpenNotice, open } from "../../../run/manual/open.ts";
import type { WantedAgents } from "../../../wire/stores.ts";
import { askTrust } from "../../attend.ts";
import {
  action,
  IGNORE_PROJECT_SETTINGS,
  localRunSelection,
  runArgument,
  TRUST_PROJECT,
} from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { refuseFleet, type WhichRuns } from "../fleet/in-fleet.ts";

export function define(command: Command, shell: Shell): void {
  runArgument(command)
    .argument("[agent]", "Agent (default: the only agent of the run)")
    .option("--now", "Interrupt the agent's step instead of waiting for it")
    .option(...TRUST_PROJECT)
    .option(...IGNORE_PROJECT_SETTINGS);
  localRunSelection(command).action(
    action(shell, (options: OpenCommandOptions & WhichRuns) => {
      refuseFleet("open", NOT_IN_FLEET, options, shell);
      return openCommand(options, shell);
    }),
  );
}

const NOT_IN_FLEET =
  "Its conversations are on the machine that runs it. Show the command that opens one there with: raymond status RUN. Stop the run first.";

interface OpenCommandOptions extends WantedAgents {
  readonly now?: true;
  readonly trustProject?: true;
  readonly ignoreProjectSettings?: true;
}

export async function openCommand(options: OpenCommandOptions, shell: Shell): Promise<void> {
  const { foreground } = shell;
  if (foreground === null) throw openErrors["cli/no-terminal"]();
  const report = (notice: OpenNotice) => {
    for (const line of words(notice)) shell.err.line(line);
  };
  const terminal: typeof foreground = async (call) => {
    await shell.err.flush();
    return foreground(call);
  };
  const opened = await askTrust(shell, () =>
    open({ ...options, terminal, onNotice: report }, shell),
  );
  for (const line of endOf(opened)) shell.err.line(line);
}

function words(notice: OpenNotice): readonly string[] {
  switch (notice.kind) {
    case "warning":
      return [notice.message];
    case "waits": {
      const { agent, state, step, now } = notice;
      const works = `${agent} is working at ${state} (step ${String(step)})`;
      return [
        now
          ? `${works}. Interrupting the step.`
          : `${works}. Waiting for the step to end. Press Ctrl-C to cancel; --now interrupts the step.`,
      ];
    }
    case "opens": {
      const { agent, session, continues } = notice;
      const opens = `Opening the conversation of ${agent} (${session}).`;
      if (continues === null) {
        return [`${opens} The agent has ended: what you say has no effect on the run.`];
      }
      const onward =
        continues.of === "caller"
          ? `It belongs to the caller: ${continues.state} starts with a copy of it, and the caller continues it as well.`
          : `${agent} continues from it at ${continues.state}.`;
      return [
        `${opens} ${onward} Leave it with /exit. /clear, /branch and /resume switch to another conversation, which the run ignores.`,
      ];
    }
  }
}

function endOf(opened: OpenedByHand): readonly string[] {
  const { id, agent } = opened;
  if (opened.outcome === "looked") return [];
  const { said, budgetMicroUsd: budget, next } = opened;
  const outcome = said
    ? `${agent} continues from your conversation, which cost ${manualCost(opened)}. The run's budget includes it.`
    : `No message was sent in the conversation of ${agent}.`;
  return [
    outcome,
    ...(budget === null ? [] : [`The budget of ${formatUsd(budget)} is used up.`]),
    next === null ? `${id} continues.` : `No process runs ${id}. Resume with: ${next}`,
  ];
}
