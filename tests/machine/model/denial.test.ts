import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OnDenied } from "../../../src/language/workflow/files/state-file.ts";
import { decide } from "../../../src/machine/decide/decide.ts";
import {
  countDenials,
  type Denial,
  type DenialCount,
  describeCall,
  readableArgument,
  sumOfDenials,
} from "../../../src/machine/model/denial.ts";
import { agent } from "../../support/agents.ts";
import { output, step } from "../../support/outcomes.ts";
import { settings } from "../../support/runs.ts";

const LOST = { folders: new Map(), workflows: new Map(), lostSession: "fail" } as const;
const TEST: Denial = { tool: "Bash", input: "npm test", exact: "npm test" };
const FETCH: Denial = { tool: "WebFetch", input: "https://x.example" };

const decided = (
  of: { readonly setting?: OnDenied; readonly state?: OnDenied; readonly ruling?: object },
  denials: readonly Denial[] = [TEST],
) => {
  const front = of.state === undefined ? "" : `---\non_denied: ${of.state}\n---\n`;
  const changes = {
    settings: settings({ onDenied: of.setting ?? "continue" }),
    agent: agent({ ruling: { calls: [], once: [], refused: [], ...of.ruling } }),
  };
  return decide(step(`${front}Do it.`, changes), output("<goto>A</goto>", { denials }), LOST);
};

describe("a reply with denied tool calls", () => {
  it.each([
    [{}, "move"],
    [{ setting: "ask" }, "ask-permission"],
    [{ setting: "fail" }, "fail"],
    [{ state: "ask" }, "ask-permission"],
    [{ setting: "ask", state: "fail" }, "fail"],
    [{ setting: "fail", state: "continue" }, "fail"],
    [{ setting: "ask", state: "continue" }, "ask-permission"],
  ] as const)("is decided by the stricter of setting and front matter: %j", (of, kind) => {
    expect(decided(of)).toMatchObject({ kind });
  });

  it("fails with the calls and a hint to allow them", () => {
    expect(decided({ setting: "fail" }, [TEST, TEST, FETCH])).toMatchObject({
      failure: {
        class: "denied",
        message:
          'START.md: 3 tool calls were denied, and on_denied is "fail". Denied: Bash: npm test; WebFetch: https://x.example.',
        hint: expect.stringContaining("--allow 'command(npm test)'") as string,
      },
    });
  });

  it("asks once about each different call, and not about calls that a person has denied", () => {
    expect(decided({ setting: "ask" }, [TEST, FETCH, TEST])).toMatchObject({
      calls: [TEST, FETCH],
    });
    const denied = { setting: "ask", ruling: { refused: [TEST] } } as const;
    expect(decided(denied, [TEST, FETCH])).toMatchObject({ calls: [FETCH] });
    expect(decided(denied)).toMatchObject({ kind: "move" });
  });

  it("asks about no more calls at once than a person can read", () => {
    const many = Array.from({ length: 30 }, (_, at) => ({
      ...TEST,
      exact: `npm test ${String(at)}`,
    }));
    expect(decided({ setting: "ask" }, many)).toMatchObject({ calls: { length: 10 } });
  });
});

describe("a denied call", () => {
  it("never shows a call on several lines", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.boolean(), (text, isExact) => {
        const exact = isExact ? readableArgument(text) : undefined;
        const shown = describeCall({ tool: "Bash", input: text, exact });
        for (const character of ["\n", "\r", "\t", "\u001b"])
          expect(shown).not.toContain(character);
      }),
    );
  });

  it.each([
    "\u001b[2K",
    "a\rb",
    "ls \u202e txt",
    "np\u200bm test",
    "npm\u00a0test",
    "\u3164",
    " ",
    "x".repeat(1_001),
  ])("cannot be allowed if a person cannot read it: %j", (text) => {
    expect(readableArgument(text)).toBeUndefined();
  });

  it("can be allowed with several lines and any letters", () => {
    expect(readableArgument("cat <<X\n\té 中\nX")).toBe("cat <<X\n\té 中\nX");
  });
});

describe("the counts of denied calls", () => {
  it("are by state, tool and input", () => {
    const counts = countDenials(countDenials([], "A.md", [TEST, TEST]), "B.md", [TEST, FETCH]);
    expect(counts).toEqual([
      { state: "A.md", tool: "Bash", input: "npm test", count: 2 },
      { state: "B.md", tool: "Bash", input: "npm test", count: 1 },
      { state: "B.md", tool: "WebFetch", input: "https://x.example", count: 1 },
    ]);
  });

  it("mark calls that a state must list itself", () => {
    expect(countDenials([], "A.md", [TEST], true)).toEqual([
      { state: "A.md", tool: "Bash", input: "npm test", count: 1, narrowed: true },
    ]);
  });

  it("stay small, and count every call", () => {
    const calls = Array.from({ length: 500 }, (_, at) => ({ tool: "Bash", input: String(at) }));
    const counts: readonly DenialCount[] = countDenials([], "A.md", calls);
    expect(counts.length).toBeLessThanOrEqual(51);
    expect(sumOfDenials(counts)).toBe(500);
  });
});
