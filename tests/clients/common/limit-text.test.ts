import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mentionsLimit, parseResetTime } from "../../../src/clients/common/limit-text.ts";
import { propertyRuns } from "../../support/property-runs.ts";

/** A Saturday: 12:00 in Greenwich, 13:00 in Berlin, 7 in the morning in New York. */
const NOW = Date.parse("2026-11-21T12:00:00.000Z");

const read = (words: string, now: number | string = NOW, zone = "UTC"): string | null => {
  const at = typeof now === "string" ? Date.parse(now) : now;
  const moment = parseResetTime(words, at, zone);
  return moment === null ? null : new Date(moment).toISOString().replace(":00.000Z", "Z");
};

describe("resetFromWords", () => {
  it.each([
    // What clients have said.
    ["You've hit your session limit · resets 3pm", "2026-11-21T15:00Z"],
    ["You've hit your 5-hour limit · resets 3:30pm (Europe/Berlin)", "2026-11-21T14:30Z"],
    ["5-hour limit reached ∙ resets 3pm", "2026-11-21T15:00Z"],
    [
      "Claude usage limit reached. Your limit will reset at 3pm (America/Santiago).",
      "2026-11-21T18:00Z",
    ],
    ["Claude AI usage limit reached|1795608000", "2026-11-25T12:00Z"],
    ["Claude AI usage limit reached|1795608000000", "2026-11-25T12:00Z"],
    // Times of day.
    ["Limit reached, resets at 14:00", "2026-11-21T14:00Z"],
    ["resets 3 p.m.", "2026-11-21T15:00Z"],
    ["resets at 3PM", "2026-11-21T15:00Z"],
    ["resets 12:30pm", "2026-11-21T12:30Z"],
    ["resets 12am", "2026-11-22T00:00Z"],
    ["resets: 15:00 · /upgrade at 13:00", "2026-11-21T15:00Z"],
    ["resets 3pm. Ask us Mon 9am", "2026-11-21T15:00Z"],
    // Just past is past, and longer past means tomorrow.
    ["resets 11:59", "2026-11-21T11:59Z"],
    ["resets 12pm", "2026-11-21T12:00Z"],
    ["resets 10am", "2026-11-21T10:00Z"],
    ["resets 9:59am", "2026-11-22T09:59Z"],
    ["resets 9am (America/New_York)", "2026-11-21T14:00Z"],
    ["resets 6am (America/New_York)", "2026-11-21T11:00Z"],
    ["resets 4am (America/New_York)", "2026-11-22T09:00Z"],
    ["resets 15:00 UTC", "2026-11-21T15:00Z"],
    ["resets 3pm\nthen continue", "2026-11-21T15:00Z"],
    // Dates.
    ["You've hit your weekly limit · resets Nov 25, 9am", "2026-11-25T09:00Z"],
    ["resets Dec 3, 5am", "2026-12-03T05:00Z"],
    ["resets Dec 3 at 5:30pm (Europe/Berlin)", "2026-12-03T16:30Z"],
    ["resets on January 1", "2027-01-01T00:00Z"],
    ["resets Nov 21, 11am", "2026-11-21T11:00Z"],
    [
      "You have reached your specified API usage limits. You will regain access on 2026-12-01 at 00:00 UTC.",
      "2026-12-01T00:00Z",
    ],
    ['400 {"message":"You will regain access on 2026-12-01 at 00:00 UTC."}', "2026-12-01T00:00Z"],
    ["You will regain access on 2026-12-01", "2026-12-01T00:00Z"],
    // Spans.
    ["resets in 2h 30m", "2026-11-21T14:30Z"],
    ["resets in 3 hours", "2026-11-21T15:00Z"],
    ["will reset in 1 day, 2 hours and 5 minutes", "2026-11-22T14:05Z"],
  ])("reads %j", (words, expected) => {
    expect(read(words)).toBe(expected);
  });

  it.each([
    ["nothing of a reset", "You've hit your 5-hour limit"],
    ["no time in it", "Your limit resets soon"],
    ["a rhythm", "Your limit resets every 5 hours"],
    ["no hour of a clock", "resets 25:00"],
    ["no minute of one", "resets 3:60pm"],
    ["no half of a day", "resets 13pm"],
    ["midnight by a clock that has none", "resets 0am"],
    ["a bare number", "resets 3"],
    ["a day that no month has", "resets Nov 31, 9am"],
    ["a date that is past", "resets 2026-11-20"],
    ["a date of another time", "resets May 3, 9am"],
    ["a date behind the time", "resets 14:00 on 25 Nov 2026"],
    ["a date in digits", "resets 2026-11-22T09:00:00Z"],
    ["another day", "resets tomorrow at 3pm"],
    ["a day of the week", "resets Monday at 9am"],
    ["a moment that is past", "Claude AI usage limit reached|1732550400"],
    ["a month, and no day", "resets next month"],
    ["an unknown zone", "resets 3pm (Nowhere/City)"],
    ["a zone by its letters", "resets 3pm PST"],
    ["a zone that is not read", "resets 3pm UTC+2"],
    ["a span that is none", "resets in a while"],
    ["nothing", ""],
  ])("does not understand %s: %j", (_, words) => {
    expect(read(words)).toBeNull();
  });

  it("means the clock of the machine where no zone is named", () => {
    expect(read("resets 3pm", NOW, "Europe/Berlin")).toBe("2026-11-21T14:00Z");
    expect(read("resets 12:30pm", NOW, "Europe/Berlin")).toBe("2026-11-21T11:30Z");
    expect(read("resets 3pm", NOW, "America/New_York")).toBe("2026-11-21T20:00Z");
    expect(read("resets 3pm", NOW, "Nowhere")).toBeNull();
  });

  it("accepts a time that has just passed, also on the previous day or year", () => {
    expect(read("resets 11:59pm", "2026-11-22T00:01:00Z")).toBe("2026-11-21T23:59Z");
    expect(read("resets 11pm", "2027-01-01T00:30:00Z")).toBe("2026-12-31T23:00Z");
  });

  it("uses the date in that zone", () => {
    // Already the 22nd in Auckland.
    expect(read("resets 2am", NOW, "Pacific/Auckland")).toBe("2026-11-21T13:00Z");
  });

  describe("where clocks are put forward and back", () => {
    it.each([
      // Berlin, March 29th 2026: 02:00 becomes 03:00 at 01:00Z.
      ["resets 3am", "2026-03-28T22:00:00Z", "Europe/Berlin", "2026-03-29T01:00Z"],
      ["resets 1:59am", "2026-03-28T22:00:00Z", "Europe/Berlin", "2026-03-29T00:59Z"],
      ["resets 2:30am", "2026-03-28T22:00:00Z", "Europe/Berlin", "2026-03-29T01:30Z"],
      ["resets 2:30am", "2026-03-29T01:45:00Z", "Europe/Berlin", "2026-03-29T01:30Z"],
      // Berlin, October 25th 2026: 03:00 becomes 02:00 at 01:00Z, and 02:30 comes twice.
      ["resets 2:30am", "2026-10-24T22:00:00Z", "Europe/Berlin", "2026-10-25T00:30Z"],
      ["resets 2:30am", "2026-10-25T00:45:00Z", "Europe/Berlin", "2026-10-25T00:30Z"],
      ["resets 2:30am", "2026-10-25T02:31:00Z", "Europe/Berlin", "2026-10-25T01:30Z"],
      ["resets 2:30am", "2026-10-25T03:31:00Z", "Europe/Berlin", "2026-10-26T01:30Z"],
      ["resets 9am", "2026-10-24T12:00:00Z", "Europe/Berlin", "2026-10-25T08:00Z"],
      // A day of 25 hours.
      ["resets 11:59am", "2026-10-24T12:00:00Z", "Europe/Berlin", "2026-10-25T10:59Z"],
      // New York, November 1st 2026: back at 06:00Z.
      ["resets 1:30am", "2026-11-01T04:00:00Z", "America/New_York", "2026-11-01T05:30Z"],
      ["resets 1:30am", "2026-11-01T05:45:00Z", "America/New_York", "2026-11-01T05:30Z"],
      ["resets 9am", "2026-11-01T04:00:00Z", "America/New_York", "2026-11-01T14:00Z"],
      // Half an hour, on Lord Howe Island.
      ["resets 9am", "2026-04-04T12:00:00Z", "Australia/Lord_Howe", "2026-04-04T22:30Z"],
    ])("%s at %s in %s is %s", (words, now, zone, expected) => {
      expect(read(words, now, zone)).toBe(expected);
    });
  });

  const anyZone = fc.constantFrom(
    ...["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Auckland"],
    ...["Australia/Lord_Howe", "America/Santiago", "Pacific/Apia"],
  );
  const anyNow = fc.integer({ min: Date.parse("2024-01-01"), max: Date.parse("2036-01-01") });

  it("law: a time of day is just past, or ahead within a day as clocks go, and its clock shows it", () => {
    const anyCase = fc.record({
      now: anyNow,
      zone: anyZone,
      hour: fc.nat({ max: 23 }),
      minute: fc.nat({ max: 59 }),
    });
    fc.assert(
      fc.property(anyCase, ({ now, zone, hour, minute }) => {
        const two = (n: number): string => String(n).padStart(2, "0");
        const moment = parseResetTime(`resets ${two(hour)}:${two(minute)}`, now, zone) ?? 0;

        expect(moment).toBeGreaterThanOrEqual(now - 2 * 3_600_000);
        expect(moment - now).toBeLessThanOrEqual(25 * 3_600_000);
        const clock = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeStyle: "short" });
        const shown = clock.format(moment);
        const said = `${two(hour)}:${two(minute)}`;
        // Clocks that are put forward over it never show it on that day.
        const isSkipped = Array.from({ length: 41 }, (_, i) => moment + (i - 20) * 1_800_000)
          .map((at) => clock.format(at))
          .every((other) => other !== said);
        expect(shown === said || isSkipped).toBe(true);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it("never throws, and never returns a time long past, for any text", () => {
    const anyWords = fc.oneof(
      fc.string(),
      fc
        .array(
          fc.constantFrom(
            ...["resets", "in", "at", "3pm", "14:00", "Nov 25", "(UTC)", "2026", "Mon", "5", "h"],
            ...["limit reached|9999999999", "(x)", ",", "am", "99:99", "Feb 29", "·", "tomorrow"],
          ),
        )
        .map((words) => words.join(" ")),
    );
    fc.assert(
      fc.property(anyWords, anyNow, anyZone, (words, now, zone) => {
        const moment = parseResetTime(words, now, zone);

        expect(moment ?? now).toBeGreaterThanOrEqual(now - 2 * 3_600_000);
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});

describe("speaksOfLimit", () => {
  it.each([
    ["You've hit your session limit · resets 3pm", true],
    ["You've hit your 5-hour limit", true],
    ["You’ve reached your weekly limit for Opus", true],
    ["Claude AI usage limit reached|1790000000", true],
    ["Claude usage limit reached. Your limit will reset at 3pm.", true],
    ["5-hour limit reached ∙ resets 3pm", true],
    ["Weekly limit reached", true],
    ["You're out of extra usage · resets 3pm", true],
    ["Request rejected (429)", false],
    ["You've hit your organization's rate limit", false],
    ["This request would exceed your organization's rate limit of 50,000 tokens per minute", false],
    ["prompt is too long: 205000 tokens > 200000 maximum", false],
    ["Connection limit", false],
  ])("of %j: %s", (words, expected) => {
    expect(mentionsLimit(words)).toBe(expected);
  });
});
