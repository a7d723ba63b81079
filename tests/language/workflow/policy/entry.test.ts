import { describe, expect, it } from "vitest";
import type { RaymondError } from "../../../../src/language/basics/errors.ts";
import { type EntryProblem, workflowErrors } from "../../../../src/language/workflow/errors.ts";
import { findEntry, resolveEntry } from "../../../../src/language/workflow/policy/entry.ts";

/** Matches the error that the table creates, by its code and text. */
function raises(error: RaymondError): unknown {
  const { code, message, hint } = error;
  return expect.objectContaining({ code, message, hint });
}

function noEntry(problem: EntryProblem, workflow = "This workflow"): unknown {
  return raises(workflowErrors["lint/RAY101"](workflow, problem));
}

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
  ])("refuses the ambiguous entry states %j", (names) => {
    const problem = { kind: "ambiguous", candidates: names } as const;
    expect(() => findEntry(names, "unix")).toThrow(noEntry(problem));
  });

  it("lists the states of a workflow without an entry state", () => {
    const names = ["PLAN.md", "start.md"];

    expect(() => findEntry(names, "unix")).toThrow(noEntry({ kind: "none", names }));
    expect(() => findEntry(names, "unix")).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("PLAN.md, start.md") as string }),
    );
  });

  it("names the workflow in the message", () => {
    const problem = { kind: "none", names: ["A.md"] } as const;
    expect(() => findEntry(["A.md"], "unix", "/w.zip")).toThrow(noEntry(problem, "/w.zip"));
    expect(() => findEntry(["START.bat"], "unix", "/w")).toThrow(/^\/w /);
  });

  it.each([
    ["START.bat", "unix"],
    ["1_START.sh", "windows"],
  ] as const)("refuses the entry state %s on %s", (present, platform) => {
    const problem = { kind: "wrong-platform", present, platform } as const;
    expect(() => findEntry([present], platform)).toThrow(noEntry(problem));
  });
});

describe("resolveEntry", () => {
  const names = ["PLAN.md", "PLAN.sh", "REVIEW.md", "WIN.bat"];

  it("accepts a file with and without its extension", () => {
    expect(resolveEntry(names, "PLAN.sh", "unix")).toBe("PLAN.sh");
    expect(resolveEntry(names, "REVIEW", "unix")).toBe("REVIEW.md");
  });

  it("reports an unknown, an ambiguous and a foreign state", () => {
    expect(() => resolveEntry(names, "REVEIW", "unix")).toThrow(
      raises(workflowErrors["workflow/unknown-state"]("REVEIW", names, "REVIEW.md")),
    );
    expect(() => resolveEntry(names, "PLAN", "unix")).toThrow(
      expect.objectContaining({ code: "workflow/ambiguous-state" }),
    );
    expect(() => resolveEntry(names, "WIN.bat", "unix")).toThrow(
      expect.objectContaining({ code: "workflow/wrong-platform" }),
    );
  });
});
