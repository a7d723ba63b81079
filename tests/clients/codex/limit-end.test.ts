import { expect, it } from "vitest";
import { limitEnd } from "../../../src/clients/codex/output/limit-end.ts";

const NOW = Date.parse("2026-11-24T14:04:30Z");

it.each([
  ["try again at 4:02 PM.", "UTC", "2026-11-24T16:02:00Z"],
  ["try again at 4:02 PM.", "America/New_York", "2026-11-24T21:02:00Z"],
  ["or try again at 1:02 AM.", "UTC", "2026-11-25T01:02:00Z"],
  ["try again at Nov 26th, 2026 4:04 PM.", "UTC", "2026-11-26T16:04:00Z"],
  ["try again at Dec 1st, 2026 12:30 AM.", "UTC", "2026-12-01T00:30:00Z"],
  ["try again at Nov 26th, 2026 11:30 PM.", "Asia/Tokyo", "2026-11-26T14:30:00Z"],
  ["try again at Nov 26th, 2026 12:30 AM.", "Asia/Tokyo", "2026-11-25T15:30:00Z"],
  ["try again at Nov 26th, 2026 1:30 AM.", "Pacific/Honolulu", "2026-11-26T11:30:00Z"],
  ["try again at Nov 26th, 2026 11:30 PM.", "Pacific/Honolulu", "2026-11-27T09:30:00Z"],
])("%s in %s is %s", (message, zone, end) => {
  expect(limitEnd(`You’ve hit your usage limit. ${message}`, NOW, zone)).toBe(Date.parse(end));
});

it.each(["try again later.", "try again at Nov 26th.", ""])("%s is unknown", (message) => {
  expect(limitEnd(message, NOW, "UTC")).toBeNull();
});
