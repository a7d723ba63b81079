import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "../../../src/language/basics/duration.ts";

describe("parseDuration", () => {
  it.each([
    ["90", 90_000],
    ["0", 0],
    ["90s", 90_000],
    ["20m", 1_200_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
    ["500ms", 500],
    ["1h30m", 5_400_000],
    ["1d2h3m4s5ms", 93_784_005],
    ["90m", 5_400_000],
    ["2147483647", 2_147_483_647_000],
  ])("reads %s as %i ms", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each([
    "",
    " ",
    "-1",
    "-5s",
    "+5s",
    "1.5h",
    "soon",
    "5 m",
    " 5m",
    "5m\n",
    "30m1h",
    "1h1h",
    "5M",
    "1e3",
    "0x10",
    "h",
    "2147483648",
    "24856d",
    "9".repeat(400),
  ])("refuses %j", (text) => {
    expect(parseDuration(text)).toBeNull();
  });

  it("reads any number of seconds alike with and without its unit", () => {
    fc.assert(
      fc.property(fc.nat(2 ** 31 - 1), (seconds) => {
        expect(parseDuration(String(seconds))).toBe(seconds * 1_000);
        expect(parseDuration(`${String(seconds)}s`)).toBe(seconds * 1_000);
      }),
    );
  });
});

describe("formatDuration", () => {
  it.each([
    [0, "0ms"],
    [-5, "0ms"],
    [420, "420ms"],
    [999.4, "999ms"],
    [999.6, "1s"],
    [12_400, "12s"],
    [59_700, "1m 00s"],
    [65_000, "1m 05s"],
    [3_599_800, "1h 00m"],
    [7_380_000, "2h 03m"],
    [86_399_999, "1d 00h"],
    [93_600_000, "1d 02h"],
  ])("shows %d ms as %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  it("formats a duration that parseDuration reads back, up to rounding", () => {
    fc.assert(
      fc.property(fc.nat(10 * 86_400_000), (ms) => {
        const read = parseDuration(formatDuration(ms).replace(" ", "")) ?? Number.NaN;
        const unit = ms < 999 ? 1 : ms < 3_599_000 ? 1_000 : ms < 86_370_000 ? 60_000 : 3_600_000;

        expect(Math.abs(read - ms)).toBeLessThanOrEqual(unit);
      }),
    );
  });
});
