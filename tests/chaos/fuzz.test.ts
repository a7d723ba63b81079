import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { fuzz } from "../fuzz/campaign.ts";
import { TARGETS } from "../fuzz/targets.ts";
import { size, tell } from "./figures.ts";

it("reads or refuses in words, quickly, and runs nothing, whatever bytes others have written", async () => {
  // With the same seed the same inputs are read again.
  const seed = process.env["RAYMOND_FUZZ_SEED"] ?? randomBytes(4).toString("hex");
  const ms = (size("RAYMOND_FUZZ_SECONDS", 8) * 1_000) / TARGETS.length;

  const harvests = await fuzz({ targets: TARGETS.map(({ name }) => name), seed, ms });

  const failures: string[] = [];
  for (const { target, count, findings } of harvests) {
    const told = findings.map((finding) => `RAYMOND_FUZZ_SEED=${seed}: ${finding}`);
    await tell({ what: `inputs fuzzed: ${target}`, count, failures: told });
    failures.push(...told);
  }
  expect(failures).toEqual([]);
  expect(harvests.filter(({ count }) => count < 2)).toEqual([]);
});
