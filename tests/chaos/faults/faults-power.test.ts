import fc from "fast-check";
import { expect, it } from "vitest";
import { reportFigure, size } from "../figures.ts";
import { anyRound, storeHistory } from "./store-history.ts";

/** Seed of a failed case to replay. */
const SEED = process.env["RAYMOND_FAULT_SEED"];

it("keeps the state before or after an interrupted save, and all successful saves, after a crash or power loss", async () => {
  const wanted = size("RAYMOND_POWER_LOSSES", 1_500);
  const failures: string[] = [];
  let cuts = 0;

  const found = await fc.check(
    fc.asyncProperty(
      fc.array(anyRound, { minLength: 1, maxLength: 4 }),
      fc.nat(),
      async (rounds, seed) => {
        const history = await storeHistory(seed);
        for (const round of rounds) {
          await history.live(round);
          cuts += 1;
          const wrong = await history.judge();
          if (wrong.length > 0) throw new Error(wrong.join("; "));
        }
      },
    ),
    { numRuns: wanted, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
  );
  if (found.failed)
    failures.push(
      `RAYMOND_FAULT_SEED=${String(found.seed)}: ${String(found.errorInstance)} ${fc.defaultReportMessage(found) ?? ""}`,
    );

  await reportFigure({
    what: "faults: crashes and power losses of the store",
    count: cuts,
    failures,
  });
  expect(failures).toEqual([]);
});
