import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatUsd, toMicroUsd, toUsd } from "../../../src/language/basics/money.ts";

describe("money", () => {
  it("law: is the same after a journey to dollars and back", () => {
    fc.assert(
      fc.property(fc.nat({ max: 1e12 }), (microUsd) => {
        expect(toMicroUsd(toUsd(microUsd))).toBe(microUsd);
      }),
    );
  });

  it.each([
    [0, "$0.00"],
    [420_000, "$0.42"],
    [42_000, "$0.0420"],
    [99_999, "$0.1000"],
    [100_000, "$0.10"],
    [12_345_678, "$12.35"],
  ])("shows %d micro-dollars as %s", (microUsd, text) => {
    expect(formatUsd(microUsd)).toBe(text);
  });
});
