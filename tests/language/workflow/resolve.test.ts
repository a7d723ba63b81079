import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { resolveState, resolveTransition } from "../../../src/language/workflow/resolve.ts";

describe("resolveState", () => {
  it.each([
    [["POLL.md"], "POLL.md", "POLL.md"],
    [["POLL.sh"], "POLL.sh", "wrong-platform"],
    [["POLL.bat"], "wrong-platform", "POLL.bat"],
    [["POLL.sh", "POLL.bat"], "POLL.sh", "POLL.bat"],
    [["POLL.md", "POLL.sh"], "ambiguous-state", "POLL.md"],
    [["POLL.md", "POLL.bat"], "POLL.md", "ambiguous-state"],
    [["POLL.ps1"], "wrong-platform", "POLL.ps1"],
    [["POLL.sh", "POLL.ps1"], "POLL.sh", "POLL.ps1"],
    [["POLL.md", "POLL.ps1"], "POLL.md", "ambiguous-state"],
    [["POLL.bat", "POLL.ps1"], "wrong-platform", "ambiguous-state"],
    [["POLL.md", "POLL.sh", "POLL.bat"], "ambiguous-state", "ambiguous-state"],
    [["OTHER.md"], "unknown-state", "unknown-state"],
    [[], "unknown-state", "unknown-state"],
  ])("resolves POLL among %j to %s on Unix and %s on Windows", (names, unix, windows) => {
    const found = (platform: "unix" | "windows") => {
      const resolution = resolveState(names, "POLL", platform);
      return resolution.ok ? resolution.name : resolution.fault.code;
    };

    expect([found("unix"), found("windows")]).toEqual([unix, windows]);
  });

  it.each([
    ["POLL.md", "unix", "POLL.md"],
    ["POLL.sh", "unix", "POLL.sh"],
    ["POLL.bat", "windows", "POLL.bat"],
    ["POLL.bat", "unix", "wrong-platform"],
    ["POLL.sh", "windows", "wrong-platform"],
  ] as const)("resolves an explicit %s on %s to %s", (target, platform, expected) => {
    const resolution = resolveState(["POLL.bat", "POLL.md", "POLL.sh"], target, platform);

    expect(resolution.ok ? resolution.name : resolution.fault.code).toBe(expected);
  });

  it("accepts only lower-case extensions", () => {
    expect(resolveState(["STEP.1.md"], "STEP.1", "unix")).toEqual({ ok: true, name: "STEP.1.md" });
    expect(resolveState(["A.MD.md"], "A.MD", "unix")).toEqual({ ok: true, name: "A.MD.md" });
    expect(resolveState(["A.md"], "A.MD", "unix")).toMatchObject({ ok: false });
    expect(resolveState(["A.md.md"], "A.md", "unix")).toMatchObject({ ok: false });
  });

  it("does not find a name in another case, and names it", () => {
    const resolution = resolveState(["PLAN.md", "REVIEW.md"], "review.md", "windows");

    expect(resolution).toEqual({
      ok: false,
      fault: {
        code: "unknown-state",
        message:
          'Unknown state "review.md". Did you mean "REVIEW.md"? States of this workflow: PLAN.md, REVIEW.md.',
      },
    });
  });

  it("compares after NFC, and returns the listed name", () => {
    const composed = "CAF\u00c9.md";
    const decomposed = "CAFE\u0301.md";

    expect(resolveState([decomposed], composed, "unix")).toEqual({ ok: true, name: decomposed });
    expect(resolveState([composed], "CAFE\u0301", "unix")).toEqual({ ok: true, name: composed });
    expect(resolveState([decomposed, composed], composed, "unix")).toMatchObject({
      name: composed,
    });
  });

  it("suggests a state of another kind, and only one that runs here", () => {
    const message = (names: readonly string[], target: string) => {
      const resolution = resolveState(names, target, "unix");
      return resolution.ok ? "" : resolution.fault.message;
    };

    expect(message(["POLL.md"], "POLL.sh")).toContain('Did you mean "POLL.md"?');
    expect(message(["POLLS.bat"], "POLL")).not.toContain("Did you mean");
    expect(message(["POLLS.md", "POLLS.sh"], "POLS.sh")).toContain('"POLLS.sh"');
  });

  it("names the script for the platform", () => {
    expect(resolveState(["POLL.bat"], "POLL", "unix")).toMatchObject({
      fault: {
        message:
          'State "POLL" is the script "POLL.bat", which runs on Windows only. Add "POLL.sh" for this platform.',
      },
    });
    expect(resolveState(["POLL.bat", "POLL.sh"], "POLL.sh", "windows")).toMatchObject({
      fault: {
        message: expect.stringContaining(
          'each platform then runs its own script, here "POLL.bat"',
        ) as string,
      },
    });
  });

  it("keeps its message short for many states and long targets", () => {
    const names = Array.from({ length: 2_000 }, (_, index) => `STATE-${String(index)}.md`);
    const resolution = resolveState(names, "\u0000x\n".repeat(1_000_000), "unix");

    expect(resolution.ok).toBe(false);
    if (resolution.ok) return;
    expect(resolution.fault.message.length).toBeLessThan(700);
    expect(resolution.fault.message).toContain("and 1988 more");
    expect(resolution.fault.message).not.toMatch(/\p{C}/u);
  });

  it("lists few of many long names", () => {
    const names = Array.from(
      { length: 12 },
      (_, index) => `${"N".repeat(100)}-${String(index)}.md`,
    );
    const resolution = resolveState(names, "X", "unix");

    expect(resolution.ok ? "" : resolution.fault.message).toMatch(/N… and 6 more\.$/);
  });

  it("finds each listed state by its own name on the platform that runs it", () => {
    const stems = fc.stringMatching(/^[A-Za-z0-9_.-]{1,8}$/);
    const listings = fc.uniqueArray(
      fc.tuple(stems, fc.constantFrom(".md", ".sh")).map((x) => x.join("")),
    );
    fc.assert(
      fc.property(listings, (names) => {
        for (const name of names) {
          expect(resolveState(names, name, "unix")).toEqual({ ok: true, name });
        }
      }),
    );
  });

  it("returns only listed names", () => {
    const words: fc.Arbitrary<string> = fc.constantFrom(
      "A",
      "A.md",
      "A.sh",
      "A.bat",
      "B",
      "B.md",
      "../A.md",
      "",
      ".md",
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(words),
        words,
        fc.constantFrom("unix", "windows"),
        (names, target, platform) => {
          const resolution = resolveState(names, target, platform);

          expect(!resolution.ok || names.includes(resolution.name)).toBe(true);
        },
      ),
    );
  });
});

describe("resolveTransition", () => {
  const names = ["A.md", "B.sh", "C.md", "WORK.bat"];

  it("names the files of target, return and next", () => {
    const resolved = (transition: Parameters<typeof resolveTransition>[0]) => {
      const resolution = resolveTransition(transition, names, "unix");
      return resolution.ok ? resolution.transition : resolution.fault;
    };

    expect(resolved({ tag: "goto", target: "A" })).toEqual({ tag: "goto", target: "A.md" });
    expect(resolved({ tag: "reset", target: "B", cd: "x" })).toEqual({
      tag: "reset",
      target: "B.sh",
      cd: "x",
    });
    expect(resolved({ tag: "call", target: "A", returnTo: "C" })).toEqual({
      tag: "call",
      target: "A.md",
      returnTo: "C.md",
    });
    expect(resolved({ tag: "fork", target: "A", next: "B", attributes: { n: "1" } })).toEqual({
      tag: "fork",
      target: "A.md",
      next: "B.sh",
      attributes: { n: "1" },
    });
    expect(resolved({ tag: "result", payload: "A" })).toEqual({ tag: "result", payload: "A" });
  });

  it.each([
    [{ tag: "goto", target: "NONE" }, /^Unknown state "NONE"/],
    [{ tag: "call", target: "A", returnTo: "NONE" }, /^Invalid return of <call>: .*"NONE"/],
    [{ tag: "function", target: "NONE", returnTo: "A" }, /^Unknown state "NONE"/],
    [
      { tag: "fork", target: "A", next: "NONE", attributes: {} },
      /^Invalid next of <fork>: .*"NONE"/,
    ],
  ] as const)("reports the missing state of %j", (transition, message) => {
    expect(resolveTransition(transition, names, "unix")).toMatchObject({
      ok: false,
      fault: { code: "unknown-state", message: expect.stringMatching(message) as string },
    });
  });

  it("rejects unsafe values for batch workers only", () => {
    const fork = (target: string) =>
      ({ tag: "fork", target, next: "A", attributes: { kind: "a", item: "50% & more" } }) as const;
    const harmless = { tag: "fork", target: "WORK", next: "A", attributes: { item: "a" } } as const;

    expect(resolveTransition(fork("WORK"), names, "windows")).toMatchObject({
      ok: false,
      fault: { code: "malformed-tag", message: expect.stringContaining("item") as string },
    });
    expect(resolveTransition(harmless, names, "windows")).toMatchObject({ ok: true });
    expect(resolveTransition(fork("B"), names, "unix")).toMatchObject({ ok: true });
  });
});
