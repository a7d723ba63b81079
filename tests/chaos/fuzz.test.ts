import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { fuzz } from "../fuzz/campaign.ts";
import { TARGETS } from "../fuzz/targets.ts";
import { reportFigure, size } from "./figures.ts";

it("parses or rejects arbitrary input quickly, and never executes it", async () => {
  // The same seed generates the same inputs.
  const seed = process.env["RAYMOND_FUZZ_SEED"] ?? randomBytes(4).toString("hex");
  const ms = (size("RAYMOND_FUZZ_SECONDS", 8) * 1_000) / TARGETS.length;

  const harvests = await fuzz({ targets: TARGETS.map(({ name }) => name), seed, ms });

  const failures: string[] = [];
  for (const { target, count, findings } of harvests) {
    const lines = findings.map((finding) => `RAYMOND_FUZZ_SEED=${seed}: ${finding}`);
    await reportFigure({ what: `fuzz inputs: ${target}`, count, failures: lines });
    failures.push(...lines);
  }
  expect(failures).toEqual([]);
  expect(harvests.filter(({ count }) => count < 2)).toEqual([]);
});
