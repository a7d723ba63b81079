import { describe, expect, it, vi } from "vitest";
import { distanceOf, localMoment, localTime, zoneName } from "../../src/console/local-time.ts";

const NOW = new Date(2026, 10, 22, 8, 12, 5).getTime();
const at = (day: number, hour: number, minute = 0, month = 10, year = 2026) =>
  new Date(year, month, day, hour, minute).getTime();

describe("a moment, by the clock on the wall", () => {
  it.each([
    [at(22, 3, 12), "today 03:12"],
    [at(21, 23, 59), "yesterday 23:59"],
    [at(23, 0), "tomorrow 00:00"],
    [at(20, 22, 5), "20 Nov 22:05"],
    [at(1, 9, 0, 0), "1 Jan 09:00"],
    [at(31, 9, 0, 11, 2025), "2025-12-31 09:00"],
    [Number.NaN, "an unknown time"],
  ])("has the name of its day: %s is %s", (ms, words) => {
    expect(localMoment(ms, NOW)).toBe(words);
  });

  it.each([
    [NOW - 20_000, "just now"],
    [NOW + 20_000, "in a moment"],
    [NOW - 12 * 60_000, "12 min ago"],
    [NOW - 59.6 * 60_000, "1 h ago"],
    [NOW - 5 * 3_600_000, "5 h ago"],
    [NOW + 47 * 3_600_000, "in 47 h"],
    [NOW - 3 * 86_400_000, "3 days ago"],
  ])("is so far away: %s is %s", (ms, words) => {
    expect(distanceOf(ms, NOW)).toBe(words);
  });

  it("to the second, with its time zone", () => {
    expect(localTime(NOW)).toBe("2026-11-22 08:12:05");
    expect(localTime(Number.NaN)).toBe("an unknown time");
    expect(zoneName(NOW)).toMatch(/^\S+$/);
  });

  it.each([
    ["UTC", "UTC"],
    ["Europe/Berlin", "GMT+1"],
    ["Asia/Kathmandu", "GMT+5:45"],
    ["America/St_Johns", "GMT-3:30"],
  ])("goes by a clock that is so far from UTC: in %s %s", (zone, name) => {
    vi.stubEnv("TZ", zone);

    expect(zoneName(Date.UTC(2026, 10, 22))).toBe(name);
    expect(zoneName(Number.NaN)).toMatch(/^\S+$/);
  });
});
