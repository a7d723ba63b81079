import { runningOf } from "../../machine/activity.ts";
import { advance } from "../../machine/advance.ts";
import type { Agent } from "../../machine/agent.ts";
import { type JournalRecord, originOf } from "../../machine/record/journal.ts";
import type { RunState } from "../../machine/run-state.ts";
import type { Totals } from "../../machine/spend/totals.ts";
import { stepName } from "../../machine/step/gate.ts";

/** What one process has cost: a row of the ledger. */
export interface LedgerEntry {
  readonly agent: string;
  readonly process: number;
  readonly state: string;
  readonly micro_usd: number;
  readonly estimated_micro_usd: number;
}

/**
 * What the processes have cost that were counted with this save: what led to it is
 * followed once more from the state before it. `before`: what was saved last; a record
 * that says itself where it goes on from needs none.
 */
export function ledgerEntries(
  { from, inputs }: JournalRecord,
  before: RunState | null,
): readonly LedgerEntry[] {
  // Most saves log of nothing else than a start.
  if (!inputs.some(({ type }) => type === "ended" || type === "resumed")) return [];
  let run = from === null ? before : originOf(from);
  if (run === null) throw new Error("the first journal record has no base state");
  const entries: LedgerEntry[] = [];
  for (const input of inputs) {
    const [next] = advance(run, input);
    for (const agent of run.agents) {
      const process = runningOf(agent)?.process;
      if (process === undefined) continue;
      // One that has ended with its step takes its sums along: those of the run have them.
      const [then, now] =
        input.type === "ended" && input.agent === agent.id
          ? [run.totals, next.totals]
          : [agent.sums, next.agents.find(({ id }) => id === agent.id)?.sums ?? agent.sums];
      entries.push(...entry(agent, process, then, now));
    }
    run = next;
  }
  return entries;
}

function entry(agent: Agent, process: number, then: Totals, now: Totals): readonly LedgerEntry[] {
  const micro_usd = now.costMicroUsd - then.costMicroUsd;
  const estimated_micro_usd = now.estimatedMicroUsd - then.estimatedMicroUsd;
  if (micro_usd === 0 && estimated_micro_usd === 0) return [];
  return [{ agent: agent.id, process, state: stepName(agent), micro_usd, estimated_micro_usd }];
}
