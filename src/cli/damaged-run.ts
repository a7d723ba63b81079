import { counted } from "../core/counted.ts";
import { formatUsd, toMicroUsd } from "../core/money.ts";
import { shellWord } from "../observers/shell-word.ts";
import type { DamagedRun } from "../runs/damaged-run.ts";
import { beginningOf } from "./words.ts";

/** What `raymond status` says of a run whose state file is damaged. */
export function formatDamagedRun(damaged: DamagedRun): readonly string[] {
  const { id, log, history, transcripts, again, program } = damaged;
  const { workflow, until, attempts, totalUsd, agents } = history;
  return [
    `run       ${id}`,
    "status    unreadable: its state file is damaged. Its event log tells this:",
    `log       ${log}, until ${until}`,
    ...(workflow === null ? [] : [`workflow  ${workflow}`]),
    `cost      ${formatUsd(toMicroUsd(totalUsd))} in ${counted(attempts, "attempt")}`,
    ...(transcripts === null ? [] : [`sessions  ${transcripts}`]),
    "agents",
    ...[...agents].map(([agent, { state, result, problem }]) => {
      if (result !== null) return `  ${agent} ended in ${state} with: ${beginningOf(result)}`;
      if (problem !== null) return `  ${agent} failed in ${state}: ${beginningOf(problem)}`;
      return `  ${agent} stood at ${state}`;
    }),
    "next",
    "  Put back the state file from a backup, and resume the run.",
    ...(again === null
      ? []
      : [
          `  Or begin a new run where main stood, without what it remembers: ${program} ${shellWord(again)}`,
        ]),
  ];
}

/** The same for scripts. */
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
