import { agentJson } from "../../runs/json/report-json.ts";
import type { WantedAgents } from "../../runs/wake.ts";
import { type Why, why } from "../../runs/why.ts";
import { formatWhy } from "../history/why-page.ts";
import { printJson } from "../output.ts";
import type { Shell } from "../shell.ts";
import { doing } from "../status/agents.ts";

interface WhyOptions extends WantedAgents {
  readonly json?: true;
}

/** `raymond why`: what a run or an agent waits for or failed of, and the command that gets it going. */
export async function whyCommand({ json, ...wanted }: WhyOptions, shell: Shell): Promise<void> {
  const told = await why(wanted, shell);
  if (json === true) printJson(shell.out, whyJson(told));
  else for (const line of formatWhy(told, shell.outColumns)) shell.out.line(line);
}

function whyJson({ report, agents, more, next, allow }: Why): object {
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
  };
}
