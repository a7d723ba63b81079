import { advance } from "../../machine/advance.ts";
import { runningOf } from "../../machine/model/activity.ts";
import type { Agent } from "../../machine/model/agent.ts";
import { stepName } from "../../machine/model/gate.ts";
import type { RunState } from "../../machine/model/run-state.ts";
import type { Totals } from "../../machine/model/totals.ts";
import { type JournalRecord, originOf } from "../../machine/record/journal.ts";

/** A row of the ledger: the cost of one process. */
export interface LedgerEntry {
  readonly agent: string;
  readonly process: number;
  readonly state: string;
  readonly micro_usd: number;
  readonly estimated_micro_usd: number;
}

/**
 * The costs that were added by a save, computed by replaying its inputs. `before`: the last saved state; not
 * required for a record that contains its base state.
 */
export function ledgerEntries(
  { from, inputs }: JournalRecord,
  before: RunState | null,
): readonly LedgerEntry[] {
  // Other inputs, the most frequent ones, add no costs.
  if (!inputs.some(({ type }) => type === "ended" || type === "resumed")) return [];
  let run = from === null ? before : originOf(from);
  if (run === null) throw new Error("the first journal record has no base state");
  const entries: LedgerEntry[] = [];
  for (const input of inputs) {
    const [next] = advance(run, input);
    for (const agent of run.agents) {
      const process = runningOf(agent)?.process;
      if (process === undefined) continue;
      // An agent that ends with its step has no totals of its own any more, but its cost is in those of the run.
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
