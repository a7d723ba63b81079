import { describe, expect, it } from "vitest";
import { reportError } from "../../../src/cli/words/report-error.ts";
import { RaymondError } from "../../../src/language/basics/errors.ts";

class SampleError extends RaymondError {
  readonly code: RaymondError["code"];

  constructor(code: RaymondError["code"], message: string, hint?: string) {
    super(message, hint === undefined ? {} : { hint });
    this.code = code;
  }
}

function report(error: unknown): { readonly code: number; readonly lines: readonly string[] } {
  const lines: string[] = [];
  const code = reportError(error, (text) => lines.push(text));
  return { code, lines };
}

describe("reportError", () => {
  it("shows an error of the user as a sentence with its code, and a hint", () => {
    const error = new SampleError("workflow/unknown-state", "There is no state NEXT.", "Add it.");

    expect(report(error)).toEqual({
      code: 2,
      lines: ["error: There is no state NEXT. [workflow/unknown-state]", "hint: Add it."],
    });
  });

  it.each([
    ["store/run-locked", 6],
    ["run/out-of-reach", 6],
    ["store/unknown-run", 7],
    ["workflow/not-found", 7],
    ["run/launch-dir-gone", 7],
    ["config/invalid", 2],
    ["cli/bad-flag", 2],
    ["store/ambiguous-run", 2],
  ] as const)("ends %s with exit code %d", (code, exit) => {
    expect(report(new SampleError(code, "It does not work.")).code).toBe(exit);
  });

  it("shows a bug with its stack and its cause", () => {
    const { code, lines } = report(new Error("no such agent", { cause: new Error("deeper") }));

    expect(code).toBe(70);
    expect(lines[0]).toBe("Error: no such agent");
    expect(lines.join("\n")).toContain("report-error.test.ts");
    expect(lines.join("\n")).toContain("deeper");
    expect(lines.at(-1)).toBe("This is a bug in raymond.");
  });

  it("reports thrown values that are not errors", () => {
    expect(report("just a text").code).toBe(70);
    expect(report(undefined).lines).toHaveLength(2);
  });

  it("prints no escape sequences of a message", () => {
    const error = new SampleError("lint/RAY102", "There is \u001b[2J in it.\nTwice.", "x\u0007");

    expect(report(error).lines).toEqual([
      "error: There is ␛[2J in it.",
      "  Twice. [lint/RAY102]",
      "hint: x␇",
    ]);
  });
});
