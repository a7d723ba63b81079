import { shellWord } from "../../console/shell-word.ts";
import type { DamagedRun } from "../../inspect/damaged-run.ts";
import { counted } from "../../language/basics/counted.ts";
import { formatUsd, toMicroUsd } from "../../language/basics/money.ts";

export function formatDamagedRun(damaged: DamagedRun): readonly string[] {
  const { id, log, history, transcripts, again, program } = damaged;
  const { workflow, until, attempts, totalUsd, agents } = history;
  return [
    `run       ${id}`,
    "status    unreadable: its state file is damaged. From its event log:",
    `log       ${log}, until ${until}`,
    ...(workflow === null ? [] : [`workflow  ${workflow}`]),
    `cost      ${formatUsd(toMicroUsd(totalUsd))} in ${counted(attempts, "attempt")}`,
    ...(transcripts === null ? [] : [`sessions  ${transcripts}`]),
    "agents",
    ...[...agents].map(([agent, { state, result, problem }]) => {
      if (result !== null) return `  ${agent} ended in ${state} with: ${startOf(result)}`;
      if (problem !== null) return `  ${agent} failed in ${state}: ${startOf(problem)}`;
      return `  ${agent} was at ${state}`;
    }),
    "next",
    "  Restore the state file from a backup and resume the run.",
    ...(again === null
      ? []
      : [
          `  Or start a new run at the state of main, without its conversation: ${program} ${shellWord(again)}`,
        ]),
  ];
}

export function damagedRunJson({ id, log, history, transcripts }: DamagedRun): object {
  const { workflow, until, attempts, totalUsd, agents } = history;
  return {
    workflow_id: id,
    status: "unreadable",
    workflow,
    total_cost_usd: totalUsd,
    attempts,
    until,
    agents: Object.fromEntries(agents),
    log,
    transcripts,
  };
}

/** The start of a text, for one line of a list. */
function startOf(text: string): string {
  const [first = "", ...rest] = text.split("\n");
  return first.slice(0, 160) + (rest.length > 0 || first.length > 160 ? " …" : "");
}
