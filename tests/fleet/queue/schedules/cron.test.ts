import { describe, expect, it } from "vitest";
import { cronProblem, isTimeZone, nextTime } from "../../../../src/fleet/queue/schedules/cron.ts";

/** The next times behind a moment, in UTC. */
function nextOf(text: string, after: string, zone = "UTC", count = 1): readonly string[] {
  const times: string[] = [];
  let at = Date.parse(after);
  while (times.length < count) {
    at = nextTime(text, zone, at);
    times.push(new Date(at).toISOString().replace(":00.000Z", "Z"));
  }
  return times;
}

describe("a cron expression", () => {
  it.each([
    ["* * * * *", "2026-11-22T18:00:00Z", "2026-11-22T18:01Z"],
    ["*/15 9-17 * * 1-5", "2026-11-20T17:45:00Z", "2026-11-23T09:00Z"],
    ["0 0 * jan,FEB sun", "2026-11-02T00:00:00Z", "2027-01-03T00:00Z"],
    ["0 0 * * 7", "2026-11-20T00:00:00Z", "2026-11-22T00:00Z"],
    // Named both, one is enough.
    ["0 0 13 * fri", "2026-11-14T00:00:00Z", "2026-11-20T00:00Z"],
    ["0 0 29 2 *", "2096-03-01T00:00:00Z", "2104-02-29T00:00Z"],
    [" @Hourly ", "2026-12-31T23:59:59Z", "2027-01-01T00:00Z"],
  ])("%s is due after %s at %s", (text, after, next) => {
    expect(cronProblem(text)).toBeNull();
    expect(nextOf(text, after)).toEqual([next]);
  });

  it.each([
    ["0 3 * * *", "2026-11-22T18:00:00Z", "Asia/Tokyo", ["2026-11-23T18:00Z"]],
    // Of the hour that the clocks leave out: when that is over.
    [
      "30 2 * * *",
      "2026-03-28T12:00:00Z",
      "Europe/Berlin",
      ["2026-03-29T01:00Z", "2026-03-30T00:30Z"],
    ],
    // Of the hour that comes twice: once, the first time.
    [
      "30 2 * * *",
      "2026-10-24T12:00:00Z",
      "Europe/Berlin",
      ["2026-10-25T00:30Z", "2026-10-26T01:30Z"],
    ],
    ["0 4 29 3 *", "2026-03-28T12:00:00Z", "Europe/Berlin", ["2026-03-29T02:00Z"]],
  ])("%s after %s follows the clocks of %s", (text, after, zone, next) => {
    expect(nextOf(text, after, zone, next.length)).toEqual(next);
  });

  it.each([
    ["* * * *", "does not have five fields"],
    ["0 0 0 3 * * *", "does not have five fields"],
    ["", "does not have five fields"],
    ["2026-11-30T00:00:00", "does not have five fields"],
    ["60 * * * *", "cannot be parsed: Invalid value for minute: 60"],
    ["* * * * mo", "cannot be parsed: "],
    ["5-1 * * * *", "cannot be parsed: "],
    ["*/0 * * * *", "cannot be parsed: "],
    ["0 0 31 2,4 *", "names days that never occur"],
    ["@reboot", "cannot be parsed: @reboot is not supported"],
    ["@daily\n@hourly", "does not have five fields"],
  ])("explains the refusal of %s", (text, problem) => {
    expect(cronProblem(text)).toMatch(new RegExp(`^${problem}`));
  });

  it("accepts the names of time zones", () => {
    const names = ["UTC", "Europe/Berlin", "Nowhere/Land", ""];
    expect(names.map(isTimeZone)).toEqual([true, true, false, false]);
  });
});
