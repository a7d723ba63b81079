import { expect, it } from "vitest";
import { calledBy } from "../../src/cli/as-called.ts";
import { reportError } from "../../src/cli/report-error.ts";
import { ABOUT_RUNS } from "../../src/cli/subcommand-table.ts";
import { plainStyle } from "../../src/observers/style.ts";
import { UnknownRunError } from "../../src/stores/errors.ts";

it.each([
  [["list"], "raymond"],
  [["--state-dir", "x", "list"], "raymond --state-dir x"],
  [["list", "--state-dir=a b"], "raymond --state-dir 'a b'"],
  [["w", "--state-dir", "x", "--state-dir", "y"], "raymond --state-dir y"],
  [["w", "--state-dir"], "raymond"],
])("raymond is called again for the same runs as by %j", (words, program) => {
  expect(calledBy(words, ABOUT_RUNS)("raymond list")).toBe(`${program} list`);
});

it.each([
  ["stop it: raymond stop r1", "stop it: raymond --state-dir x stop r1"],
  [
    "`raymond list` or raymond --resume r1",
    "`raymond --state-dir x list` or raymond --state-dir x --resume r1",
  ],
  ["anew with raymond WORKFLOW.", "anew with raymond --state-dir x WORKFLOW."],
  ["raymond help tags; raymond lists; raymond --resumed", null],
])("a hint has the commands about runs as they are called: %s", (hint, called) => {
  expect(calledBy(["--state-dir", "x"], ABOUT_RUNS)(hint)).toBe(called ?? hint);
});

it("and an error is told with such a hint", () => {
  const lines: string[] = [];
  const asCalled = calledBy(["--state-dir", "x"], ABOUT_RUNS);

  reportError(new UnknownRunError("r1"), (line) => lines.push(line), plainStyle, asCalled);

  expect(lines[1]).toContain("`raymond --state-dir x list");
});
