import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nearest } from "../../../src/language/basics/nearest.ts";

describe("nearest", () => {
  it.each([
    ["timout", ["model", "timeout", "tools"], "timeout"],
    ["modle", ["model", "tools"], "model"],
    ["allowed_transition", ["allowed_transitions", "allowed_tools"], "allowed_transitions"],
    ["gto", ["goto", "result"], "goto"],
    ["review", ["REVIEWS", "REVIEW"], "REVIEW"],
    ["Review", ["REVIEX", "Reviex"], "Reviex"],
    ["REVEIW", ["PLAN", "REVIEW"], "REVIEW"],
  ])("corrects %s", (word, candidates, meant) => {
    expect(nearest(word, candidates)).toBe(meant);
  });

  it.each([
    ["x", ["y", "z"]],
    ["PLAN", ["REVIEW", "DONE"]],
    ["", ["a"]],
    ["anything", []],
    ["x".repeat(100_000), ["x"]],
  ])("finds nothing without a similar candidate", (word, candidates) => {
    expect(nearest(word, candidates)).toBeNull();
  });

  it("prefers the first of equally near candidates", () => {
    expect(nearest("stepx", ["step1", "step2"])).toBe("step1");
  });

  it("finds every word among candidates that hold it, and any word with one letter left out", () => {
    const words = fc.stringMatching(/^[a-z]{4,12}$/);
    fc.assert(
      fc.property(words, fc.nat(), fc.array(words), (word, index, others) => {
        const cut = index % word.length;
        const shorter = word.slice(0, cut) + word.slice(cut + 1);

        expect(nearest(word, [...others, word])).toBe(word);
        expect(nearest(shorter, [word])).toBe(word);
      }),
    );
  });

  it("prefers a word that differs only in case", () => {
    const words = fc.stringMatching(/^[a-z]{1,12}$/);
    fc.assert(
      fc.property(words, fc.array(words), (word, others) => {
        const candidates = others.filter((other) => other !== word);

        expect(nearest(word, [...candidates, word.toUpperCase()])).toBe(word.toUpperCase());
      }),
    );
  });
});
