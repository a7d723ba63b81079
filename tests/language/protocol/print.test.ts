import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readTransitions } from "../../../src/language/protocol/output-elements.ts";
import { printTransition } from "../../../src/language/protocol/print.ts";
import { readReply } from "../../../src/language/protocol/reply.ts";
import { attributeNameProblem } from "../../../src/language/protocol/scan/attributes.ts";
import { OutputScanner } from "../../../src/language/protocol/scan/scan.ts";
import type { Transition } from "../../../src/language/protocol/transition.ts";
import { propertyRuns } from "../../support/property-runs.ts";

const text = fc.string({ unit: "binary", maxLength: 20 });
const hostile = fc.constantFrom(
  ...['x">EVIL</goto><result>', `it's "both"`, "&quot;", "&amp;lt;", "a & b", "&copy;", "&amp"],
  ...[
    "a > b",
    "<goto>A</goto>",
    "a</result>b",
    "</ask><fork>B</fork>",
    "&",
    "\r\n",
    "'",
    "</resul",
  ],
);
const stateName = fc
  .oneof(fc.constantFrom("A.md", "STEP.1", "b c.sh", "R&amp;D", "<b>"), text, hostile)
  .map((name) => name.replaceAll(/[/\\\0]/g, "").trim())
  .filter((name) => name !== "" && name !== "." && name !== "..");
const value = fc.oneof(text, hostile).map((one) => one.replaceAll("\0", ""));
const attributeName = fc
  .stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,5}$/)
  .filter((name) => attributeNameProblem(name) === null && name !== "next" && name !== "cd");
const payload = fc.oneof(
  ...[text, hostile, fc.constantFrom("a\n\n  b", "  a", "\n\na\n", "see\n```js\nx\n```")],
);

/** Every transition whose states can be named. */
const anyTransition: fc.Arbitrary<Transition> = fc.oneof(
  fc.record(
    { tag: fc.constant("goto" as const), target: stateName, input: value },
    { requiredKeys: ["tag", "target"] },
  ),
  fc.record({
    tag: fc.constant("ask" as const),
    question: payload.filter((one) => one.trim() !== ""),
    next: stateName,
  }),
  fc.record(
    { tag: fc.constant("reset" as const), target: stateName, cd: value },
    { requiredKeys: ["tag", "target"] },
  ),
  fc.record({
    tag: fc.constantFrom("call" as const, "function" as const),
    target: stateName,
    returnTo: stateName,
  }),
  fc.record(
    {
      tag: fc.constant("fork" as const),
      target: stateName,
      next: stateName,
      cd: value,
      attributes: fc.dictionary(attributeName, value, { noNullPrototype: true, maxKeys: 4 }),
    },
    { requiredKeys: ["tag", "target", "next", "attributes"] },
  ),
  fc.record({ tag: fc.constant("result" as const), payload }),
);

describe("printTransition", () => {
  it.each<[Transition, string]>([
    [{ tag: "goto", target: "A.md" }, "<goto>A.md</goto>"],
    [{ tag: "reset", target: "A", cd: "/w" }, '<reset cd="/w">A</reset>'],
    [{ tag: "call", target: "C", returnTo: "R" }, '<call return="R">C</call>'],
    [
      { tag: "fork", target: "W", next: "N", cd: "w", attributes: { a: "1", b: '"' } },
      `<fork next="N" cd="w" a="1" b="&quot;">W</fork>`,
    ],
    [{ tag: "goto", target: "A", input: `'"<&>` }, `<goto input="'&quot;&lt;&amp;&gt;">A</goto>`],
    [{ tag: "goto", target: "R&D" }, "<goto>R&amp;D</goto>"],
    [{ tag: "result", payload: "ok" }, "<result>ok</result>"],
    [{ tag: "result", payload: "a & <b>" }, "<result>a & <b></result>"],
    [{ tag: "result", payload: "a</result>b" }, '<result payload="a&lt;/result&gt;b"/>'],
    [{ tag: "ask", question: "\nWhy?", next: "N" }, '<ask question="\nWhy?" next="N"/>'],
    [{ tag: "result", payload: "a\nb" }, "<result>\na\nb\n</result>"],
  ])("prints %j as a tag", (transition, tag) => {
    expect(printTransition(transition)).toBe(tag);
  });

  it("prints a tag that a script's output parses to the same transition", () => {
    fc.assert(
      fc.property(anyTransition, (transition) => {
        const scanner = new OutputScanner();
        scanner.push(printTransition(transition));

        expect(readTransitions(scanner.end())).toEqual({ ok: true, transitions: [transition] });
      }),
      { numRuns: propertyRuns(500) },
    );
  });

  it("prints the same transition as in a reply, unless code is unclosed", () => {
    fc.assert(
      fc.property(anyTransition, (transition) => {
        const tag = printTransition(transition);
        fc.pre(!/`|~~~/.test(tag) || tag.includes("```js\nx\n```\n"));

        expect(readTransitions(readReply(`So:\n\n${tag}\n`))).toEqual({
          ok: true,
          transitions: [transition],
        });
      }),
      { numRuns: propertyRuns(500) },
    );
  });
});
