import { isSimulated } from "../../engine/ports/backend.ts";
import { runDocument, sumsDocument } from "../document.ts";
import { type Inspection, sumsByAgent } from "../inspect.ts";
import type { CostJson } from "./shapes.ts";

/** Where the money of a run went: the sums of the state file, in its words, and those of all agents. */
export function costJson(inspection: Pick<Inspection, "run" | "status" | "history">): CostJson {
  const { run, status } = inspection;
  const { workflow_id, total_cost_usd, settings, totals, sums, origin } = runDocument(run);
  const agents = Object.entries(sumsByAgent(inspection));
  return {
    workflow_id,
    status,
    simulated: isSimulated(run.backend),
    budget_usd: settings.budget_usd,
    total_cost_usd,
    origin: origin ?? null,
    totals,
    sums: { agents: Object.fromEntries(agents.map(([id, of]) => [id, sumsDocument(of)])), ...sums },
  };
}
