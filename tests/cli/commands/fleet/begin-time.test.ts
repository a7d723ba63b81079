import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { beginTime } from "../../../../src/cli/commands/fleet/submit.ts";

const NOW = Date.parse("2026-11-22T18:00:00Z");
const iso = (text: string) => new Date(beginTime(text, NOW)).toISOString();

describe("the time at which a run is to begin", () => {
  const zone = process.env["TZ"];
  beforeEach(() => {
    process.env["TZ"] = "Asia/Tokyo";
  });
  afterEach(() => {
    if (zone === undefined) delete process.env["TZ"];
    else process.env["TZ"] = zone;
  });

  it.each([
    ["2h", "2026-11-22T20:00:00.000Z"],
    ["0", "2026-11-22T18:00:00.000Z"],
    ["2026-11-22T19:00:00Z", "2026-11-22T19:00:00.000Z"],
    ["2026-11-22T19:00:00+01:00", "2026-11-22T18:00:00.000Z"],
    // By the clock of the machine, nine hours before UTC.
    ["2026-11-23T08:00", "2026-11-22T23:00:00.000Z"],
    ["2026-11-24", "2026-11-23T15:00:00.000Z"],
    // Said a moment ago: it is now.
    ["2026-11-22T17:59:30Z", "2026-11-22T17:59:30.000Z"],
  ])("is for %s the moment %s", (text, moment) => {
    expect(iso(text)).toBe(moment);
  });

  it.each([
    ["2026-11-22T17:00:00Z", "in the future"],
    ["2026-13-01", "a time such as"],
    ["2026-11-22T25:00", "a time such as"],
    ["tomorrow", "a time such as"],
    ["-2h", "a time such as"],
    ["", "a time such as"],
  ])("is refused for %j, in words", (text, words) => {
    expect(() => beginTime(text, NOW)).toThrow(words);
  });
});
