import { expect, it } from "vitest";
import { printableDiff } from "../../src/inspect/files/run-diff.ts";

it.each([
  ["a title of the terminal", "+\u001b]0;pwn\u0007", "+\u241b]0;pwn\u2407"],
  ["a cleared screen", "-\u001b[2J", "-\u241b[2J"],
  ["a C1 sequence", "+\u009b2J", "+\\u009b2J"],
  ["a carriage return", "+a\rb", "+a\u240db"],
  ["a direction mark", "+\u202ex", "+\\u202ex"],
])("escapes %s in a diff", (_, text, shown) => {
  expect(printableDiff(text)).toBe(shown);
});

it("keeps colors, tabs and lines of a diff", () => {
  const diff = "\u001b[1mdiff --git a/x b/x\u001b[m\n\u001b[32m+\tü\u001b[m\n";
  expect(printableDiff(diff)).toBe(diff);
});
