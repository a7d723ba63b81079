import { formatUsd } from "../../core/money.ts";
import { costByHand } from "../../observers/format-event.ts";
import { type OpenedByHand, type OpenNotice, open } from "../../runs/open.ts";
import { NoTerminalError } from "../../runs/open-errors.ts";
import type { WantedAgents } from "../../runs/wake.ts";
import { askTrust } from "../ask-trust.ts";
import type { Shell } from "../shell.ts";

interface OpenCommandOptions extends WantedAgents {
  readonly now?: true;
  readonly trustProject?: true;
}

/** `raymond open`: the conversation of an agent in this terminal; when the person leaves it, the agent goes on from there. */
export async function openCommand(options: OpenCommandOptions, shell: Shell): Promise<void> {
  const { foreground } = shell;
  if (foreground === null) throw new NoTerminalError();
  const tell = (notice: OpenNotice) => {
    for (const line of words(notice)) shell.err.line(line);
  };
  const terminal: typeof foreground = async (call) => {
    await shell.err.flush();
    return foreground(call);
  };
  const opened = await askTrust(shell, () => open({ ...options, terminal, told: tell }, shell));
  for (const line of endOf(opened)) shell.err.line(line);
}

function words(notice: OpenNotice): readonly string[] {
  switch (notice.kind) {
    case "warning":
      return [notice.message];
    case "waits": {
      const { agent, state, step, now } = notice;
      const works = `${agent} works at ${state} (step ${String(step)})`;
      return [
        now
          ? `${works}: it is interrupted.`
          : `${works}: waiting until that step ends. Ctrl-C leaves all as it was; --now interrupts it.`,
      ];
    }
    case "opens": {
      const { agent, session, goesOn } = notice;
      const opens = `Opening the conversation of ${agent} (${session}).`;
      if (goesOn === null) {
        return [`${opens} The agent has ended: nothing goes on from what is said there.`];
      }
      const onward =
        goesOn.of === "caller"
          ? `It is that of its caller: ${goesOn.state} begins with a copy of it, and the caller goes on with it as well.`
          : `${agent} goes on from what is said there, at ${goesOn.state}.`;
      return [
        `${opens} ${onward} Leave it by /exit; what /clear, /branch or /resume lead to is another conversation, which the run does not know.`,
      ];
    }
  }
}

function endOf(opened: OpenedByHand): readonly string[] {
  const { id, agent } = opened;
  if (opened.outcome === "looked") return [];
  const { said, budgetMicroUsd: budget, next } = opened;
  const went = said
    ? `${agent} goes on from what was said, for ${costByHand(opened)}, which counts toward the run.`
    : `Nothing was said in the conversation that ${agent} goes on with.`;
  return [
    went,
    ...(budget === null ? [] : [`With that the budget of ${formatUsd(budget)} is used up.`]),
    next === null ? `${id} goes on.` : `No process runs ${id}; go on with: ${next}`,
  ];
}
