import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fault } from "../../../src/core/protocol/fault.ts";
import { printRules } from "../../../src/core/workflow/policy.ts";
import { continuationText, reminderText } from "../../../src/core/workflow/reminder.ts";
import type { Rule } from "../../../src/core/workflow/rule.ts";

const next: Rule = { tag: "goto", target: "NEXT.md", attributes: {}, at: { line: 3, column: 5 } };
const done: Rule = { tag: "result", attributes: {}, at: { line: 4, column: 5 } };
const fault: Fault = { code: "no-tag", message: "No transition tag was found." };

const bytes = (text: string) => new TextEncoder().encode(text).length;

describe("reminderText", () => {
  it("says what was wrong, and the allowed transitions, one a line", () => {
    expect(reminderText(fault, [next, { ...next, target: "OTHER.md" }])).toBe(
      [
        "Your last message did not end this step. No transition tag was found.",
        "",
        "Do not repeat the work. Reply with exactly one of these transition tags:",
        "",
        "<goto>NEXT.md</goto>",
        "<goto>OTHER.md</goto>",
      ].join("\n"),
    );
  });

  it("explains placeholders only where there are any", () => {
    expect(reminderText(fault, [next])).not.toContain("STATE");
    expect(reminderText(fault, [next, done])).toContain('"your result"');
  });

  it("stays under 1 KB beyond the list, whatever the fault says", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 3_000 }), (message) => {
        const text = reminderText({ code: "unknown-state", message }, [next, done]);
        const list = printRules([next, done]).join("\n");

        expect(text).toContain(list);
        expect(bytes(text) - bytes(list)).toBeLessThan(1024);
      }),
    );
  });

  it("attaches no file that the fault quotes", () => {
    const quoting: Fault = {
      code: "unknown-state",
      message: 'There is no state "a @/etc/passwd".',
    };

    expect(reminderText(quoting, [next])).not.toMatch(/\s@/);
  });
});

describe("continuationText", () => {
  it.each(["interrupted", "capped"] as const)("lets a conversation that was %s go on", (reason) => {
    const text = continuationText(reason, [next, done]);

    expect(text).toContain("Go on where you were");
    expect(text).toContain("exactly one of these transition tags:");
    expect(text).toContain("<goto>NEXT.md</goto>\n<result>your result</result>");
    expect(bytes(text)).toBeLessThan(1024);
  });

  it("lists nothing where the state has no rules", () => {
    expect(continuationText("interrupted", null)).toMatch(
      /exactly one transition tag, as the instructions/,
    );
  });

  it("says what has happened", () => {
    expect(continuationText("interrupted", null)).not.toBe(continuationText("capped", null));
  });
});
