import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type LedgerEntry, ledgerEntries } from "../../../src/fleet/store/ledger.ts";
import type { RunState } from "../../../src/machine/model/run-state.ts";
import { readJournal, replayJournal, validRecords } from "../../../src/machine/record/journal.ts";
import { anyFaultPlan } from "../../model/fault-plan.ts";
import { anyProgram } from "../../model/program.ts";
import { runTrial } from "../../model/trial.ts";
import { propertyRuns } from "../../support/property-runs.ts";

describe("the ledger", () => {
  it("has each process once, and all costs of a run, however often raymond dies", async () => {
    let most = 0;
    const property = fc.asyncProperty(anyProgram, anyFaultPlan, async (program, faults) => {
      const { run, journal } = await runTrial(program, faults);
      const records = readJournal(journal.join(""));
      // Of saves that a crash has undone nothing is in the database.
      const saved = new Map(validRecords(records).map((record) => [record.save, record]));
      const entries: LedgerEntry[] = [];
      let before: RunState | null = null;
      for (let save = 1; save <= run.saves; save += 1) {
        const [record, folded] = [saved.get(save), replayJournal(records, save)];
        if (record === undefined || !folded.ok) continue;
        entries.push(...ledgerEntries(record, before));
        before = folded.run;
      }

      const names = entries.map(({ agent, process }) => `${agent} ${String(process)}`);
      expect(new Set(names).size).toBe(names.length);
      const sum = (of: "micro_usd" | "estimated_micro_usd") =>
        entries.reduce((total, entry) => total + entry[of], 0);
      expect(sum("micro_usd")).toBe(run.totals.costMicroUsd);
      expect(sum("estimated_micro_usd")).toBe(run.totals.estimatedMicroUsd);
      most = Math.max(most, entries.length);
    });
    await fc.assert(property, { numRuns: propertyRuns(60), seed: 20261122 });
    expect(most).toBeGreaterThan(3);
  });
});
