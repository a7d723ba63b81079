import { expect, it } from "vitest";
import { hasNudges, nudging } from "../../src/runs/nudges.ts";

it("knows a control that hears all that can be wished of a run from one that does not", () => {
  const { control } = nudging();
  const { onWake, ...others } = control;

  expect([
    hasNudges(control),
    hasNudges(others),
    hasNudges({ onWake }),
    hasNudges(undefined),
  ]).toEqual([true, false, false, false]);
});
