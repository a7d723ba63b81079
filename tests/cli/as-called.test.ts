import { expect, it } from "vitest";
import { asCalled, calledBy } from "../../src/cli/as-called.ts";
import { reportError } from "../../src/cli/report-error.ts";
import { plainStyle } from "../../src/observers/style.ts";
import { UnknownRunError } from "../../src/stores/errors.ts";

it.each([
  [["list"], "raymond"],
  [["--state-dir", "x", "list"], "raymond --state-dir x"],
  [["list", "--state-dir=a b"], "raymond --state-dir 'a b'"],
  [["w", "--state-dir", "x", "--state-dir", "y"], "raymond --state-dir y"],
  [["w", "--state-dir"], "raymond"],
])("raymond is called again for the same runs as by %j", (words, program) => {
  expect(calledBy(words)).toBe(program);
});

it.each([
  ["stop it: raymond stop r1", "stop it: raymond -s stop r1"],
  [
    "`raymond list --all` or raymond --resume r1",
    "`raymond -s list --all` or raymond -s --resume r1",
  ],
  ["anew with raymond WORKFLOW.", "anew with raymond -s WORKFLOW."],
  ["raymond help tags; raymond lists; raymond --resumed", null],
])("a hint has the commands about runs as they are called: %s", (hint, called) => {
  expect(asCalled(hint, "raymond -s")).toBe(called ?? hint);
});

it("and an error is told with such a hint", () => {
  const lines: string[] = [];

  reportError(new UnknownRunError("r1"), (line) => lines.push(line), plainStyle, "raymond -s");

  expect(lines[1]).toContain("`raymond -s list");
});
