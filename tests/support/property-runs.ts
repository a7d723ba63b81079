import fc from "fast-check";

/** The number of cases that a property test tries: a fifth, or all with RAYMOND_PROPERTY_RUNS=all (`.ci/run --full`). */
export function propertyRuns(all: number): number {
  if (process.env["RAYMOND_PROPERTY_RUNS"] === "all") return all;
  return Math.ceil(all / 5);
}

// This file is also a setup file of vitest: it sets the default number of cases.
fc.configureGlobal({ numRuns: propertyRuns(100) });
