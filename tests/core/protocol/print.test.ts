import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attributeNameProblem } from "../../../src/core/protocol/attributes.ts";
import { trimPayload } from "../../../src/core/protocol/payload.ts";
import { printTransition } from "../../../src/core/protocol/print.ts";
import { readReply } from "../../../src/core/protocol/reply.ts";
import { readTransitions } from "../../../src/core/protocol/row.ts";
import { OutputScanner } from "../../../src/core/protocol/scan.ts";
import type { Transition } from "../../../src/core/protocol/transition.ts";

const text = fc.string({ unit: "binary", maxLength: 20 });
const stateName = fc
  .oneof(fc.constantFrom("A.md", "STEP.1", "b c.sh"), text)
  .map((name) => name.replaceAll(/[<>/\\\0"']/g, "").trim())
  .filter((name) => name !== "" && name !== "." && name !== "..");
const value = fc
  .oneof(text, fc.constantFrom('say "hi"', "it's", "a > b", "<goto>A</goto>"))
  .filter((v) => !v.includes("\0") && !(v.includes('"') && v.includes("'")));
const attributeName = fc
  .stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,5}$/)
  .filter((name) => attributeNameProblem(name) === null && name !== "next" && name !== "cd");
const payload = fc
  .oneof(text, fc.constantFrom("a\n\n  b", "  a", "see\n```js\nx\n```", "<goto>A</goto>"))
  .map(trimPayload)
  .filter((p) => !p.includes("</result>"));

/** Every transition that a tag can say. */
const anyTransition: fc.Arbitrary<Transition> = fc.oneof(
  fc.record({ tag: fc.constant("goto" as const), target: stateName }),
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
      `<fork next="N" cd="w" a="1" b='"'>W</fork>`,
    ],
    [{ tag: "result", payload: "ok" }, "<result>ok</result>"],
    [{ tag: "result", payload: "a\nb" }, "<result>\na\nb\n</result>"],
  ])("writes %j as its tag", (transition, tag) => {
    expect(printTransition(transition)).toBe(tag);
  });

  it("writes what a script's output says as the same transition", () => {
    fc.assert(
      fc.property(anyTransition, (transition) => {
        const scanner = new OutputScanner();
        scanner.push(printTransition(transition));

        expect(readTransitions(scanner.end())).toEqual({ ok: true, transitions: [transition] });
      }),
      { numRuns: 500 },
    );
  });

  it("writes what a reply says as the same transition, where no code is begun and not ended", () => {
    fc.assert(
      fc.property(anyTransition, (transition) => {
        const tag = printTransition(transition);
        fc.pre(!/`|~~~/.test(tag) || tag.includes("```js\nx\n```\n"));

        expect(readTransitions(readReply(`So:\n\n${tag}\n`))).toEqual({
          ok: true,
          transitions: [transition],
        });
      }),
      { numRuns: 500 },
    );
  });
});
