import { describe, expect, it } from "vitest";
import { findEntry, resolveEntry } from "../../../src/core/workflow/entry.ts";
import {
  AmbiguousEntryError,
  AmbiguousStateError,
  EntryPlatformError,
  NoEntryError,
  UnknownStateError,
  WrongPlatformError,
} from "../../../src/core/workflow/errors.ts";

describe("findEntry", () => {
  it.each([
    [["1_START.md", "PLAN.md"], "1_START.md"],
    [["START.md", "PLAN.md"], "START.md"],
    [["START.sh"], "START.sh"],
    [["1_START.sh", "1_START.bat"], "1_START.sh"],
    [["START.md", "START.bat"], "START.md"],
    [["START.md", "START.ps1"], "START.md"],
  ])("starts %j with %s", (names, entry) => {
    expect(findEntry(names, "unix")).toBe(entry);
  });

  it.each([
    [["1_START.md", "START.md"]],
    [["1_START.md", "START.sh"]],
    [["1_START.bat", "START.md"]],
    [["START.md", "START.sh"]],
  ])("does not choose among %j", (names) => {
    expect(() => findEntry(names, "unix")).toThrow(AmbiguousEntryError);
  });

  it("lists what is there when nothing is called START", () => {
    const find = () => findEntry(["PLAN.md", "start.md"], "unix");

    expect(find).toThrow(NoEntryError);
    expect(find).toThrow(
      expect.objectContaining({
        code: "lint/RAY101",
        hint: expect.stringContaining("PLAN.md, start.md") as string,
      }),
    );
  });

  it("names the workflow that it is about", () => {
    expect(() => findEntry(["A.md"], "unix", "/w.zip")).toThrow(/^\/w\.zip has no state to start/);
    expect(() => findEntry(["START.md", "START.sh"], "unix", "/w")).toThrow(
      /^\/w could start with/,
    );
    expect(() => findEntry(["START.bat"], "unix", "/w")).toThrow(/^\/w starts with the script/);
  });

  it.each([
    [["START.bat"], "unix", /START\.bat.*on Windows only/],
    [["1_START.sh"], "windows", /1_START\.sh.*on Unix only/],
  ] as const)(
    "reports an entry that is only there for the other platform: %j",
    (names, platform, message) => {
      expect(() => findEntry(names, platform)).toThrow(EntryPlatformError);
      expect(() => findEntry(names, platform)).toThrow(message);
    },
  );
});

describe("resolveEntry", () => {
  const names = ["PLAN.md", "PLAN.sh", "REVIEW.md", "WIN.bat"];

  it("takes a file with and without its extension", () => {
    expect(resolveEntry(names, "PLAN.sh", "unix")).toBe("PLAN.sh");
    expect(resolveEntry(names, "REVIEW", "unix")).toBe("REVIEW.md");
  });

  it("throws what the user can act on", () => {
    expect(() => resolveEntry(names, "REVEIW", "unix")).toThrow(UnknownStateError);
    expect(() => resolveEntry(names, "REVEIW", "unix")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining('"REVIEW.md"') as string }),
    );
    expect(() => resolveEntry(names, "PLAN", "unix")).toThrow(AmbiguousStateError);
    expect(() => resolveEntry(names, "WIN.bat", "unix")).toThrow(WrongPlatformError);
  });
});
