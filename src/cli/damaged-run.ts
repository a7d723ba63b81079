import { existsSync, statSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import type { RunId } from "../core/machine/run-state.ts";
import { formatUsd, toMicroUsd } from "../core/money.ts";
import { type RunHistory, readHistory } from "../observers/event-history.ts";
import { shellWord } from "../observers/shell-word.ts";
import type { Artifacts } from "../ports/artifacts.ts";
import { counted, firstLine } from "./words.ts";

/** What can still be known of a run whose state file is damaged (docs/durability.md). */
export interface DamagedRun {
  readonly id: RunId;
  /** Its event log. */
  readonly log: string;
  readonly history: RunHistory;
  /** The copies of its conversations; null without any. */
  readonly transcripts: string | null;
}

/** Null when there is no event log that can be read. */
export async function readDamagedRun(
  id: RunId,
  { events: log, transcripts }: Artifacts,
): Promise<DamagedRun | null> {
  const text = await readFile(log, "utf8").catch(() => null);
  const history = text === null ? null : readHistory(text);
  if (history === null) return null;
  return { id, log, history, transcripts: existsSync(transcripts) ? transcripts : null };
}

/** What `raymond status` says of such a run; `program` is how the user calls raymond. */
export function formatDamagedRun(
  { id, log, history, transcripts }: DamagedRun,
  program: string,
): readonly string[] {
  const { workflow, until, attempts, totalUsd, agents } = history;
  const again = stateAgain(history);
  return [
    `run       ${id}`,
    "status    unreadable: its state file is damaged. Its event log tells this:",
    `log       ${log}, until ${until}`,
    ...(workflow === null ? [] : [`workflow  ${workflow}`]),
    `cost      ${formatUsd(toMicroUsd(totalUsd))} in ${counted(attempts, "attempt")}`,
    ...(transcripts === null ? [] : [`sessions  ${transcripts}`]),
    "agents",
    ...[...agents].map(([agent, { state, result, problem }]) => {
      if (result !== null) return `  ${agent} ended in ${state} with: ${firstLine(result)}`;
      if (problem !== null) return `  ${agent} failed in ${state}: ${firstLine(problem)}`;
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

/** Null where it is not known, or no state of an archive can be named. */
function stateAgain({ workflow, agents }: RunHistory): string | null {
  const main = agents.get("main");
  if (workflow === null || main === undefined || main.result !== null) return null;
  if (path.extname(workflow).toLowerCase() === ".zip") return null;
  const isFolder = statSync(workflow, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return path.join(isFolder ? workflow : path.dirname(workflow), main.state);
}
