import type { Command } from "commander";
import { agentJson } from "../../../inspect/json/report-json.ts";
import { type Why, why } from "../../../inspect/why.ts";
import type { WantedAgents } from "../../../wire/stores.ts";
import { formatWhy } from "../../history/why-page.ts";
import { printJson } from "../../output.ts";
import { actionOnRuns, JSON_OBJECT, runArgument, runSelection } from "../../parse/options.ts";
import type { Shell } from "../../shell.ts";
import { doing } from "../../status/agents.ts";

export function define(command: Command, shell: Shell): void {
  runArgument(command)
    .argument("[agent]", "Only this agent and the agents it waits for")
    .option(...JSON_OBJECT);
  runSelection(command).action(actionOnRuns(shell, whyCommand));
}

interface WhyOptions extends WantedAgents {
  readonly json?: true;
}

export async function whyCommand({ json, ...wanted }: WhyOptions, shell: Shell): Promise<void> {
  const explained = await why(wanted, shell);
  if (json === true) printJson(shell.out, whyJson(explained));
  else for (const line of formatWhy(explained, shell.outColumns)) shell.out.line(line);
}

function whyJson({ report, agents, more, next, allow, setWith }: Why): object {
  const { run, status } = report;
  return {
    workflow_id: run.id,
    status,
    reason: run.stopReason,
    agents: agents.map(({ agent, missing, evidence }) => ({
      ...agentJson(agent, report),
      does: doing(agent, report),
      missing,
      step: evidence?.step ?? null,
      lines: evidence?.lines ?? [],
      denied: evidence?.denied ?? [],
      debug: evidence?.debug ?? null,
    })),
    more,
    next,
    allow,
    set_with: setWith,
  };
}
