import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Fault } from "../../../../src/language/protocol/fault.ts";
import { printRules } from "../../../../src/language/workflow/policy/policy.ts";
import {
  continuationText,
  reminderText,
} from "../../../../src/language/workflow/policy/reminder.ts";
import type { Rule } from "../../../../src/language/workflow/policy/rule.ts";

const next: Rule = { tag: "goto", target: "NEXT.md", attributes: {}, at: { line: 3, column: 5 } };
const done: Rule = { tag: "result", attributes: {}, at: { line: 4, column: 5 } };
const fault: Fault = { code: "no-tag", message: "No transition tag found." };

const bytes = (text: string) => new TextEncoder().encode(text).length;

describe("reminderText", () => {
  it("reports the fault and the allowed transitions, one per line", () => {
    expect(reminderText(fault, [next, { ...next, target: "OTHER.md" }])).toBe(
      [
        "Your last message did not end this step. No transition tag found.",
        "",
        "Do not repeat the work. Reply with exactly one of these transition tags:",
        "",
        "<goto>NEXT.md</goto>",
        "<goto>OTHER.md</goto>",
      ].join("\n"),
    );
  });

  it("explains placeholders only if there are any", () => {
    expect(reminderText(fault, [next])).not.toContain("STATE");
    expect(reminderText(fault, [next, done])).toContain('"your result"');
  });

  it("is under 1 KB without the list, for any fault", () => {
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
      message: 'Unknown state "a @/etc/passwd".',
    };

    expect(reminderText(quoting, [next])).not.toMatch(/\s@/);
  });
});

describe("continuationText", () => {
  it.each(["interrupted", "capped"] as const)("continues a conversation that was %s", (reason) => {
    const text = continuationText(reason, [next, done]);

    expect(text).toContain("Continue where you stopped");
    expect(text).toContain("exactly one of these transition tags:");
    expect(text).toContain("<goto>NEXT.md</goto>\n<result>your result</result>");
    expect(bytes(text)).toBeLessThan(1024);
  });

  it("lists nothing without rules", () => {
    expect(continuationText("interrupted", null)).toMatch(
      /exactly one transition tag, as described in the instructions/,
    );
  });

  it("reports the interruption", () => {
    expect(continuationText("interrupted", null)).not.toBe(continuationText("capped", null));
  });
});
